/** The line that is being edited, and what a key does to its text. Values and functions; nothing is drawn here. */
import { after, before, boundary, chunkStart, wordEnd, wordStart } from "../graphemes.ts";

export interface Line {
  readonly text: string;
  /** A place between two graphemes. */
  readonly cursor: number;
}

export const emptyLine: Line = { text: "", cursor: 0 };

export function lineOf(text: string): Line {
  return { text, cursor: text.length };
}

export function replace(line: Line, from: number, to: number, by: string): Line {
  const text = line.text.slice(0, from) + by + line.text.slice(to);
  return { text, cursor: boundary(text, from + by.length) };
}

export function insert(line: Line, text: string): Line {
  return replace(line, line.cursor, line.cursor, text);
}

/** Where the cursor goes by a key, seen from where it is. */
export const motions = {
  left: (line: Line) => before(line.text, line.cursor),
  right: (line: Line) => after(line.text, line.cursor),
  "word-left": (line: Line) => wordStart(line.text, line.cursor),
  "word-right": (line: Line) => wordEnd(line.text, line.cursor),
  "chunk-left": (line: Line) => chunkStart(line.text, line.cursor),
  home: () => 0,
  end: (line: Line) => line.text.length,
} as const satisfies { readonly [name: string]: (line: Line) => number };
export type Motion = keyof typeof motions;

export function move(line: Line, motion: Motion): Line {
  return { text: line.text, cursor: boundary(line.text, motions[motion](line)) };
}

/** Removes what a motion goes over, and says what it was. */
export function remove(line: Line, motion: Motion): { readonly line: Line; readonly removed: string } {
  const there = boundary(line.text, motions[motion](line));
  const [from, to] = [Math.min(there, line.cursor), Math.max(there, line.cursor)];
  return { line: replace(line, from, to, ""), removed: line.text.slice(from, to) };
}
