/**
 * When to compact before a turn: once its request would reach the policy's mark, or the client would leave out old
 * exchanges. After a try that did not help, not again before the context has grown by a tenth.
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
  readonly #at: number;
  #notBefore = 0;

  constructor({ at }: CompactPolicy) {
    this.#at = at;
  }

  isDue(next: NextRequest): boolean {
    return contextBytes(next.context) >= this.#notBefore && this.#isFull(next);
  }

  /** To be told of each try, with what the context is after it. */
  tried(next: NextRequest): void {
    this.#notBefore = this.#isFull(next) ? contextBytes(next.context) * 1.1 : 0;
  }

  #isFull({ context, current, budget, ...request }: NextRequest): boolean {
    const mark = Math.min(this.#at, 0.8 * budget.tokens);
    return (
      context.exchanges.length >= budget.exchanges ||
      contextBytes(context) + request.overheadBytes >= 0.8 * budget.bytes ||
      estimateTokens(context, current, request) >= mark
    );
  }
}
