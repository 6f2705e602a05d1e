/** Where the cursor stands after text was written: followed by display width, as a terminal wraps it. */
export interface Column {
  /** 0 at the beginning of a line; the width itself where a line is full and the terminal has not wrapped yet. */
  readonly at: number;
  advance(text: string, columns: number): void;
  reset(): void;
}

const plain = /^[\x20-\x7e]*$/;

export function openColumn(): Column {
  let at = 0;
  return {
    get at() {
      return at;
    },
    advance(text, columns) {
      const start = text.lastIndexOf("\n") + 1;
      if (start > 0) at = 0;
      const line = start > 0 ? text.slice(start) : text;
      if (plain.test(line)) {
        at = wrapped(at, line.length, columns);
        return;
      }
      for (const character of line) at = after(at, character, columns);
    },
    reset() {
      at = 0;
    },
  };
}

function wrapped(at: number, width: number, columns: number): number {
  const end = at + width;
  return end <= columns ? end : ((end - 1) % columns) + 1;
}

/** A wide character that does not fit goes to the next line whole; a tab stops before the edge. */
function after(at: number, character: string, columns: number): number {
  if (character === "\t") return Math.min((at | 7) + 1, columns - 1);
  const width = Bun.stringWidth(character);
  return at + width <= columns ? at + width : width;
}
