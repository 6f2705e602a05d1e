/** The policy that sends only the newest exchanges. */
import type { ContextBudget } from "../context.ts";
import { checkCount } from "./check-count.ts";
import type { TruncatePolicy } from "./policy.ts";

/**
 * Bounds each request to so many exchanges before the current one, UTF-8 bytes or estimated tokens; the client's own
 * limits hold beside it. Nothing is cut out of the conversation, and nothing is spent.
 */
export function truncate(bounds: Partial<ContextBudget>): TruncatePolicy {
  for (const [name, value] of Object.entries(bounds)) checkCount(`truncate: ${name}`, value, 0);
  return { type: "truncate", ...bounds };
}

/** The smaller of each. */
export function truncated(own: ContextBudget, { exchanges, bytes, tokens }: Partial<ContextBudget>): ContextBudget {
  return {
    exchanges: Math.min(own.exchanges, exchanges ?? Infinity),
    bytes: Math.min(own.bytes, bytes ?? Infinity),
    tokens: Math.min(own.tokens, tokens ?? Infinity),
  };
}
