/** `chat search`: compact JSON, as the assistant fitted it into POPPET_TOOL_BYTES with the newline that follows. */
import { printJson } from "../print.ts";
import type { Program } from "../program.ts";

export async function chatSearch(this: Program, _flags: object, query: string): Promise<void> {
  const assistant = await this.openAssistant();
  try {
    await printJson(this, JSON.stringify(await assistant.search(query)));
  } finally {
    await assistant.close();
  }
}
