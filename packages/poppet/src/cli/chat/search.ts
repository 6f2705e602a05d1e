/**
 * `chat search`: on a terminal for people, the words set apart; anywhere else compact JSON, as the assistant fitted it
 * into POPPET_TOOL_BYTES with the newline that follows.
 */
import type { Assistant, SearchResult } from "../../assistant.ts";
import { printJson } from "../print.ts";
import type { Program } from "../program.ts";

export async function chatSearch(this: Program, flags: { readonly json: boolean }, query: string): Promise<void> {
  const terminal = await this.terminal();
  const assistant = await this.openAssistant();
  let text: string | null = null;
  try {
    const result = await assistant.search(query);
    if (flags.json || !terminal.stdout) await printJson(this, JSON.stringify(result));
    else text = await forPeople(this, assistant, query, result);
  } finally {
    await assistant.close();
  }
  if (text === null) return;
  const { printPaged } = await import("../page.ts");
  await printPaged(this, text);
}

async function forPeople(program: Program, assistant: Assistant, query: string, result: SearchResult): Promise<string> {
  const { foundText } = await import("../render/matches.ts");
  const { cleanLine } = await import("../../clean.ts");
  const { themeOf } = await import("../render/theme.ts");
  const terminal = await program.terminal();
  const excerpts = result.matches.map((match) => cleanLine(match.excerpt));
  const hits = await program.parts.highlights(query, excerpts);
  const shortIds = await assistant.shortIds(result.matches.map((match) => match.sessionId));
  const matches = result.matches.map((match, i) => ({
    ...match,
    excerpt: excerpts[i] ?? "",
    hits: hits[i] ?? [],
    shortId: shortIds[i] ?? match.sessionId,
  }));
  const page = { columns: terminal.columns(), theme: themeOf(terminal.colors) };
  return foundText({ matches, truncated: result.truncated }, program.now(), page);
}
