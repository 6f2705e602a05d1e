/** `chat rename`: a title of the person's own; says on stderr what was kept. */
import { cleanLine } from "../../clean.ts";
import type { Program } from "../program.ts";

export async function chatRename(this: Program, _flags: object, sessionId: string, title: string): Promise<void> {
  const assistant = await this.openAssistant();
  try {
    const session = await assistant.rename(sessionId, title);
    this.stderr.write(`renamed ${session.id}: ${cleanLine(session.title ?? "")}\n`);
    await this.stderr.flush();
  } finally {
    await assistant.close();
  }
}
