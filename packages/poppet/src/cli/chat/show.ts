/** `chat show`: a session with its messages and runs, as indented JSON; with `--text`, and as `show`, to read. */
import type { ShownSession } from "../../assistant.ts";
import { printJson } from "../print.ts";
import type { Program } from "../program.ts";
import type { Page } from "../render/transcript.ts";

export async function chatShow(this: Program, flags: { readonly text: boolean }, sessionId: string): Promise<void> {
  const assistant = await this.openAssistant();
  let shown: ShownSession;
  try {
    shown = await assistant.show(sessionId);
  } finally {
    await assistant.close();
  }
  if (flags.text) await printTranscript(this, shown);
  else await printJson(this, JSON.stringify(shown, null, 2));
}

/** `show`. */
export async function show(this: Program, _flags: object, sessionId: string): Promise<void> {
  await chatShow.call(this, { text: true }, sessionId);
}

async function printTranscript(program: Program, shown: ShownSession): Promise<void> {
  const { transcriptText } = await import("../render/transcript.ts");
  const { printPaged } = await import("../page.ts");
  await printPaged(program, transcriptText(shown, await pageOf(program)));
}

async function pageOf(program: Program): Promise<Page> {
  const terminal = await program.terminal();
  if (!terminal.stdout) return { columns: null, theme: null, answer: null };
  const { themeOf } = await import("../render/theme.ts");
  const page = { columns: terminal.columns(), theme: themeOf(terminal.colors), answer: null };
  if (!(await program.config()).settings.chat.markdown) return page;
  const { renderMarkdown } = await import("../render/markdown/render.ts");
  const { colors, links } = terminal;
  return { ...page, answer: (text) => renderMarkdown(text, { columns: () => page.columns, colors, links }) };
}
