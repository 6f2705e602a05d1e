/** `chat sessions`: saved sessions, newest activity first; a table on a terminal, JSON anywhere else. */
import { printJson } from "../print.ts";
import type { Program } from "../program.ts";

export async function chatSessions(
  this: Program,
  flags: { readonly json: boolean; readonly limit: number },
): Promise<void> {
  const assistant = await this.openAssistant();
  try {
    const sessions = await assistant.sessions({ limit: flags.limit });
    const terminal = await this.terminal();
    if (flags.json || !terminal.stdout) {
      await printJson(this, JSON.stringify({ sessions }));
      return;
    }
    const { sessionTable } = await import("../render/table.ts");
    this.stdout.write(sessionTable(sessions, this.now(), terminal.columns()));
    await this.stdout.flush();
  } finally {
    await assistant.close();
  }
}
