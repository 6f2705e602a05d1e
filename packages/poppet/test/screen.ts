/** What a terminal of a given width shows in the end for bytes that were written to it. */
import { Terminal } from "@xterm/headless";

export interface Screen {
  /** With scrollback, without trailing blanks. */
  readonly text: string;
  /** Which lines go on from the line above because the terminal wrapped them. */
  readonly wrapped: readonly boolean[];
}

export async function screenOf(bytes: string, columns: number): Promise<Screen> {
  const terminal = new Terminal({
    cols: columns,
    rows: 50,
    allowProposedApi: true,
    convertEol: true,
    scrollback: 10_000,
  });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i));
  const screen = {
    text: lines
      .map((line) => line?.translateToString(true) ?? "")
      .join("\n")
      .trimEnd(),
    wrapped: lines.map((line) => line?.isWrapped ?? false),
  };
  terminal.dispose();
  return screen;
}
