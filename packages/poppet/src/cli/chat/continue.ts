/**
 * `chat continue`: the next message of the session used last, which is looked up before stdin is read. Without a message,
 * on a terminal, a talk at the prompt.
 */
import { PoppetError } from "../../error.ts";
import { readMessage } from "../input.ts";
import type { Program } from "../program.ts";
import { runMessage } from "./run.ts";

export async function chatContinue(this: Program, _flags: object, message?: string): Promise<void> {
  const sessionId = await latestSession(this);
  const { stdin, stdout } = await this.terminal();
  if (message === undefined && stdin && stdout) {
    await (await import("./interactive.ts")).interactive(this, { sessionId });
    return;
  }
  const text = await readMessage(this, message, 'poppet chat continue "And then?"');
  await runMessage(this, { text, channel: "cli", target: { type: "session", sessionId } });
}

async function latestSession(program: Program): Promise<string> {
  const assistant = await program.openAssistant();
  try {
    const [latest] = await assistant.sessions({ limit: 1 });
    if (latest !== undefined) return latest.id;
  } finally {
    await assistant.close();
  }
  throw new PoppetError("session_unknown", 'There is no session to go on with; start one with: poppet chat new "…"');
}
