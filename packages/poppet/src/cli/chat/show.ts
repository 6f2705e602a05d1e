/** `chat show`: a session with its messages and runs, as indented JSON for people and programs alike. */
import { printJson } from "../print.ts";
import type { Program } from "../program.ts";

export async function chatShow(this: Program, _flags: object, sessionId: string): Promise<void> {
  const assistant = await this.openAssistant();
  try {
    await printJson(this, JSON.stringify(await assistant.show(sessionId), null, 2));
  } finally {
    await assistant.close();
  }
}
