/**
 * Where the cursor stands after what a renderer wrote, and what stands in its line and the one above: enough to draw
 * below it, to come back, and to write the lines anew after another program wrote on the screen. It knows the few
 * sequences that our renderers use: styles, links, erasing a line, a column, up.
 */
import { openColumn } from "../render/column.ts";

export interface Trail {
  follow(text: string, columns: number): void;
  /** Columns from the left edge; the width itself where the line is full and the terminal has not wrapped yet. */
  column(): number;
  /** The two last lines, as they were written. */
  lines(): string;
  /** The terminal has another width, and wraps the lines anew. */
  resized(columns: number): void;
  /** The cursor was taken to the beginning of a fresh line. */
  fresh(): void;
}

const steering = /\n|\r|\x1b\[([\d;?]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

export function openTrail(): Trail {
  const column = openColumn();
  let above = "";
  let line = "";
  /** Of the line above, for coming back up to it. */
  let set: number | null = null;

  function text(part: string, columns: number): void {
    if (part === "") return;
    if (set !== null) {
      column.reset();
      if (set > 0) column.advance(" ".repeat(set), columns);
      set = null;
    }
    line += part;
    column.advance(part, columns);
  }

  function sequence(whole: string, parameters: string, letter: string): void {
    if (letter === "A") {
      line = above;
      above = "";
    } else if (letter === "G") set = Number(parameters || "1") - 1;
    else if (letter === "K") {
      if ((set ?? column.at) === 0) line = "";
    } else line += whole;
  }

  function fresh(): void {
    above = "";
    line = "";
    set = 0;
  }

  function follow(written: string, columns: number): void {
    let at = 0;
    for (const found of written.matchAll(steering)) {
      text(written.slice(at, found.index), columns);
      at = found.index + found[0].length;
      if (found[0] === "\n") {
        above = line;
        line = "";
        set = 0;
      } else if (found[0] === "\r") set = 0;
      else if (found[2] !== undefined) sequence(found[0], found[1] ?? "", found[2]);
      else line += found[0];
    }
    text(written.slice(at), columns);
  }

  const lines = () => (above === "" ? line : `${above}\n${line}`);

  return {
    follow,
    lines,
    fresh,
    resized(columns) {
      const kept = lines();
      fresh();
      follow(kept, columns);
    },
    column: () => set ?? column.at,
  };
}
