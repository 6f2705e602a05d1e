/** How a long conversation is bounded: by sending less of it, or by a summary of what is old. */
import type { ContextBudget } from "../context.ts";
import type { Summariser, SummariserOptions } from "./summary.ts";

/** Made by `truncate` or `compact`. */
export type Policy = TruncatePolicy | CompactPolicy;

/** A request holds the newest whole exchanges within these limits; the conversation itself stays whole. */
export interface TruncatePolicy extends Partial<ContextBudget> {
  readonly type: "truncate";
}

/** Made by `compact`. */
export interface CompactPolicy {
  readonly type: "compact";
  /** Estimated tokens of a request at which a summary is written first; Infinity: only when asked. */
  readonly at: number;
  /** The newest exchanges that stay as they are. */
  readonly keep: number;
  readonly summarise: SummariserOptions | Summariser;
}

/** What a policy did. */
export type PolicyOutcome =
  /** `exchanges` were summarised; `bytes`: what they and an earlier summary took in a request, and what this one takes. */
  | {
      readonly changed: true;
      readonly exchanges: number;
      readonly bytes: { readonly before: number; readonly after: number };
    }
  /** `nothing-old`: all that there is is to stay as it is. `each-request`: the policy works when a request is made. */
  | { readonly changed: false; readonly reason: "nothing-old" | "each-request" };
