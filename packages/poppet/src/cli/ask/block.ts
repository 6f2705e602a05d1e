/**
 * Lines at the bottom that are drawn anew in their place, each within the width. When the question is answered, one line
 * stays of them. Nothing above is touched.
 */
import { cutWidth } from "../graphemes.ts";
import { around, type Role, themeOf } from "../render/theme.ts";
import type { Asking } from "./terminal.ts";

export interface Block {
  draw(lines: readonly string[]): void;
  /** The next drawing begins where the cursor stands. */
  forget(): void;
  /** What stays. */
  end(lines: readonly string[]): void;
  erase(): void;
}

export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  chosen(text: string): string;
  wrong(text: string): string;
}

export function openBlock(asking: Asking, cursor: "shown" | "hidden"): Block {
  let widths: readonly number[] = [];

  /** The cursor stands on the last line. A window that became narrower has broken lines, most likely. */
  function toTop(): string {
    const columns = Math.max(1, asking.columns());
    const above = widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0) - 1;
    return above > 0 ? `\r\x1b[${above}A` : "\r";
  }

  function put(lines: readonly string[]): string {
    const top = toTop();
    widths = lines.map((line) => Bun.stringWidth(line));
    return `${top}${lines.join("\x1b[K\n")}\x1b[K\x1b[J`;
  }

  return {
    draw: (lines) => asking.write(`\x1b[?25l${put(lines)}${cursor === "shown" ? "\x1b[?25h" : ""}`),
    erase: () => asking.write(`${toTop()}\x1b[J\x1b[?25h`),
    forget() {
      widths = [];
    },
    end: (lines) => asking.write(`${put(lines)}\n\x1b[?25h`),
  };
}

/** The line within the width, less one column: a full line would make some terminals begin another. */
export function fitted(asking: Asking, line: string): string {
  return cutWidth(line, Math.max(1, asking.columns() - 1));
}

/** A question that is answered, as the one line that stays of it. */
export function answered(asking: Asking, title: string, answer: string): string {
  const front = fitted(asking, title);
  const room = asking.columns() - 2 - Bun.stringWidth(front);
  return answer === "" || room < 2 ? front : `${front} ${stylesOf(asking).dim(cutWidth(answer, room))}`;
}

/** Words broken over lines. */
export function wrapped(asking: Asking, text: string): readonly string[] {
  return Bun.wrapAnsi(text, Math.max(1, asking.columns() - 1)).split("\n");
}

/** Lines that stay, above what comes next. */
export function tell(asking: Asking, text: string, style: (line: string) => string = (line) => line): void {
  asking.write(
    wrapped(asking, text)
      .map((line) => `${style(line)}\n`)
      .join(""),
  );
}

export function stylesOf({ colors }: Pick<Asking, "colors">): Styles {
  const theme = themeOf(colors);
  const style = (role: Role) => {
    const look = around(theme?.[role]);
    return (text: string) => (look === undefined || text === "" ? text : look.before + text + look.after);
  };
  return { bold: style("strong"), dim: style("dim"), chosen: style("marker"), wrong: style("error") };
}
