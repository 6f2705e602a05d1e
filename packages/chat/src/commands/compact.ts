/** `/compact [FOCUS]`: applies the client's policy now; a summary keeps above all what the focus names. */
import type { ChatClient } from "../chat-client.ts";
import type { PolicyOutcome } from "../policies/policy.ts";
import type { Command } from "./command.ts";
import { type Editable, orTryAgain, whyNotEditable } from "./editing.ts";

/**
 * `/compact [FOCUS]`. `data` is the PolicyOutcome. A summary that fails is thrown; a conversation that moved on is
 * said.
 */
export function compactCommand(): Command<Editable & Pick<ChatClient, "applyPolicyNow">> {
  return {
    name: "compact",
    summary: "shortens what the model is sent; say what to keep: /compact the dates",
    unavailable: whyNotEditable,
    run: ({ client, args, signal }) =>
      orTryAgain(async () => {
        const outcome = await client.applyPolicyNow({ focus: args.trim(), signal });
        return { text: inWords(outcome), changed: outcome.changed, data: { ...outcome } };
      }),
  };
}

function inWords(outcome: PolicyOutcome): string {
  if (!outcome.changed) {
    return outcome.reason === "nothing-old"
      ? "There is nothing to shorten yet."
      : "Nothing to do: each request takes only the newest messages already.";
  }
  const { exchanges, bytes } = outcome;
  const what = exchanges === 1 ? "1 exchange" : `${exchanges} exchanges`;
  return `Summarised ${what}: ${bytes.before} bytes became ${bytes.after}. The newest stay as they are.`;
}
