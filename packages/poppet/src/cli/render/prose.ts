/**
 * Text that is there whole, such as a transcript, wrapped as answers are while they stream. Newlines stay, tabs become
 * spaces, and parts may be in inks of their own.
 */
import { mix, noInk, openPen, type Span } from "./pen.ts";
import type { Role, Theme } from "./theme.ts";
import { openWrap } from "./wrap.ts";

/** What is written on. */
export interface Sheet {
  /** Null where lines are left as they are: in a pipe, in a file. */
  readonly columns: number | null;
  /** Null where there are no styles. */
  readonly theme: Theme | null;
}

/** A word that is longer than a row is left to the terminal, so that it is copied whole. */
export function prose(spans: readonly Span[], { columns }: Sheet, indent = ""): string {
  if (columns === null) return spans.map(({ text }) => text).join("");
  const pen = openPen();
  const wrap = openWrap(pen, { columns: () => columns, exact: false });
  const before = [plain(indent)];
  let begun = false;
  for (const { text, ink } of spans) {
    for (const [i, given] of text.split("\n").entries()) {
      if (i > 0) wrap.end();
      const line = withoutTabs(given);
      const own = begun && i === 0 ? "" : (/^ +/.exec(line)?.[0] ?? "");
      if (!begun || i > 0) wrap.start([...before, plain(own.slice(0, columns / 2))], before);
      begun = true;
      wrap.text(line.slice(own.length), ink);
    }
  }
  wrap.end();
  return pen.take().slice(0, -1);
}

export function inRole(text: string, role: Role, { theme }: Sheet): Span {
  return { text, ink: theme === null ? noInk : mix(noInk, theme[role]) };
}

export function plain(text: string): Span {
  return { text, ink: noInk };
}

function withoutTabs(line: string): string {
  const [first = "", ...rest] = line.split("\t");
  return rest.reduce((done, part) => done + " ".repeat(8 - (Bun.stringWidth(done) % 8)) + part, first);
}
