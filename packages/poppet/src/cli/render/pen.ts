/**
 * Writes text in inks and sends no more escape sequences than the change from one ink to the next needs. No ink is left
 * on at the end of a line, so that a pager may begin anywhere.
 */
import { type Around, around } from "./theme.ts";

export interface Ink {
  /** Parameters of SGR; "" is the terminal's own look. */
  readonly sgr: string;
  /** An OSC 8 target; "" is none. */
  readonly url: string;
}

export interface Span {
  readonly text: string;
  readonly ink: Ink;
}

export interface Pen {
  put(text: string, ink: Ink): void;
  newline(): void;
  /** What was written since the last time. The ink stays on. */
  take(): string;
  /** What brings the ink back that is on, and what turns it off; nothing where none is on. */
  readonly open: Around | undefined;
}

export const noInk: Ink = { sgr: "", url: "" };

/** `over` on top of `under`. */
export function mix(under: Ink, sgr: string): Ink {
  if (sgr === "") return under;
  return { sgr: under.sgr === "" ? sgr : `${under.sgr};${sgr}`, url: under.url };
}

export function openPen(): Pen {
  let out = "";
  let on = noInk;

  function change(ink: Ink): void {
    if (ink.url !== on.url) out += `\x1b]8;;${ink.url}\x1b\\`;
    if (ink.sgr !== on.sgr) out += sgrChange(on.sgr, ink.sgr);
    on = ink;
  }

  return {
    put(text, ink) {
      if (text === "") return;
      if (ink !== on) change(ink);
      out += text;
    },
    newline() {
      change(noInk);
      out += "\n";
    },
    take() {
      const taken = out;
      out = "";
      return taken;
    },
    get open() {
      if (on.url === "") return around(on.sgr);
      const sgr = around(on.sgr) ?? { before: "", after: "" };
      return { before: `\x1b]8;;${on.url}\x1b\\${sgr.before}`, after: `${sgr.after}\x1b]8;;\x1b\\` };
    },
  };
}

export function widthOf(spans: readonly Span[]): number {
  let width = 0;
  for (const { text } of spans) width += Bun.stringWidth(text);
  return width;
}

function sgrChange(from: string, to: string): string {
  if (to === "") return "\x1b[0m";
  return from === "" ? `\x1b[${to}m` : `\x1b[0;${to}m`;
}
