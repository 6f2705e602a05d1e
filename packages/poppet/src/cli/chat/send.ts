/** `chat send`: the next message of a saved session. */
import { readMessage } from "../input.ts";
import type { Program } from "../program.ts";
import { runMessage } from "./run.ts";

export async function chatSend(this: Program, _flags: object, sessionId: string, message?: string): Promise<void> {
  const text = await readMessage(this, message, 'poppet chat send ID "And then?"');
  await runMessage(this, { text, channel: "cli", target: { type: "session", sessionId } });
}
