/**
 * When to compact before a turn: once its request would reach the policy's mark, or the client would leave out old
 * exchanges. After a try that did not help, not again before a tenth of what the context was then has come since: a
 * context that is at its limits does not grow.
 */
import { type Context, type ContextBudget, contextBytes, estimateTokens } from "../context.ts";
import type { Message } from "../messages.ts";
import type { CompactPolicy } from "./policy.ts";

export interface NextRequest {
  readonly context: Context;
  readonly current: readonly Message[];
  readonly budget: ContextBudget;
  readonly provider: string;
  readonly model: string;
  readonly overheadBytes: number;
}

export class CompactionTrigger {
  readonly #policy: CompactPolicy;
  /** As of the last try: the newest exchange, and the bytes that have to come after it. */
  #newest: string | undefined;
  #enough = 0;

  constructor(policy: CompactPolicy) {
    this.#policy = policy;
  }

  isDue(next: NextRequest): boolean {
    // A request of fewer exchanges than a summary leaves would never come to it.
    if (next.budget.exchanges < this.#policy.keep) return false;
    return this.#newBytes(next.context) >= this.#enough && this.#isFull(next);
  }

  /** To be told of each try, with what the context is after it. */
  tried(next: NextRequest): void {
    this.#newest = next.context.exchanges.at(-1)?.id;
    this.#enough = this.#isFull(next) ? contextBytes(next.context) / 10 : 0;
  }

  #newBytes({ exchanges }: Context): number {
    const seen = exchanges.findLastIndex(({ id }) => id === this.#newest);
    return contextBytes({ summary: null, exchanges: exchanges.slice(seen + 1) });
  }

  #isFull({ context, current, budget, ...request }: NextRequest): boolean {
    const mark = Math.min(this.#policy.at, 0.8 * budget.tokens);
    return (
      context.exchanges.length >= budget.exchanges ||
      contextBytes(context) + request.overheadBytes >= 0.8 * budget.bytes ||
      estimateTokens(context, current, request) >= mark
    );
  }
}
