/** `/clear`: an empty conversation with the same instructions, model and tools. */
import type { ChatClient } from "../chat-client.ts";
import type { Command } from "./command.ts";

/** `/clear`. Its result is `changed` where there was something to clear. */
export function clearCommand(): Command<Pick<ChatClient, "clear">> {
  return {
    name: "clear",
    summary: "starts again; instructions and model stay",
    async run({ client, signal }) {
      const changed = await client.clear({ signal });
      return {
        text: changed ? "Cleared. The next message starts a new conversation." : "There is nothing to clear.",
        changed,
      };
    },
  };
}
