/** `/usage`: what the conversation has cost in tokens so far. */
import type { ChatClient } from "../chat-client.ts";
import type { Usage } from "../messages.ts";
import type { UsageTotal } from "../usage.ts";
import type { Command } from "./command.ts";

/** `/usage`. `data` is the client's `usage()`. */
export function usageCommand(): Command<Pick<ChatClient, "usage">> {
  return {
    name: "usage",
    summary: "shows the tokens used so far",
    async run({ client }) {
      const { turns, compactions } = client.usage();
      const lines = [inWords("Answers", turns)];
      if (compactions.count > 0) lines.push(inWords("Summaries", compactions));
      return { text: lines.join("\n"), data: { turns: asData(turns), compactions: asData(compactions) } };
    },
  };
}

function inWords(what: string, { count, unreported, tokens }: UsageTotal): string {
  const gap = unreported === 0 ? "" : ` (${unreported} of them not fully reported)`;
  return `${what}: ${count}${gap}. Tokens: ${tokens ? tokensInWords(tokens) : "none reported"}.`;
}

function tokensInWords({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: Usage): string {
  const known = (count: number | null) => (count === null ? "unknown" : String(count));
  const cached = cachedInputTokens ? ` (${cachedInputTokens} of them from a cache)` : "";
  const reasoning = reasoningTokens ? ` (${reasoningTokens} of them reasoning)` : "";
  return `${known(inputTokens)} in${cached}, ${known(outputTokens)} out${reasoning}`;
}

function asData({ count, unreported, tokens }: UsageTotal) {
  return { count, unreported, tokens: tokens && { ...tokens } };
}
