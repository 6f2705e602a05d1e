/** What a client has spent, counted once a request: turns and compactions apart. */
import { sumUsage, type Usage } from "./messages.ts";

/** Tokens, as the providers counted them. */
export interface ChatUsage {
  /** What `chat`, `stream` and `ask` spent, failed and stopped ones too. */
  readonly turns: UsageTotal;
  readonly compactions: UsageTotal;
}

/** A sum over turns. */
export interface UsageTotal {
  readonly count: number;
  /** Those of which the provider did not say all: what they spent is missing in `tokens`, or a part of it. */
  readonly unreported: number;
  /** Null: nothing was reported. */
  readonly tokens: Usage | null;
}

const nothing: UsageTotal = { count: 0, unreported: 0, tokens: null };
export const noUsage: ChatUsage = { turns: nothing, compactions: nothing };

/** Adds one turn. */
export function addTurn(
  total: UsageTotal,
  { usage, reported }: { readonly usage: Usage | null; readonly reported: Usage | null },
): UsageTotal {
  return {
    count: total.count + 1,
    unreported: total.unreported + (usage === null ? 1 : 0),
    tokens: sumUsage([{ usage: total.tokens }, { usage: reported }]).reported,
  };
}
