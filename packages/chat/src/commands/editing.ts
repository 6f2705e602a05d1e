/** What the commands share that edit turns: who can be edited, and what to say when the conversation moved on. */
import type { ChatClient } from "../chat-client.ts";
import { TranscriptMovedError } from "../errors.ts";
import type { CommandResult } from "./command.ts";

/** What such a command needs of a client. */
export type Editable = Pick<ChatClient, "editor">;

export function whyNotEditable(client: Editable): string | null {
  return client.editor ? null : "this model's provider keeps the conversation itself and cannot edit it";
}

export async function orTryAgain(edit: () => Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await edit();
  } catch (thrown) {
    if (!TranscriptMovedError.isInstance(thrown)) throw thrown;
    return { text: "The conversation changed in the meantime, so nothing was done. Try again." };
  }
}
