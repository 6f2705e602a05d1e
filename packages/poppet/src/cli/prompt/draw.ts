/**
 * Draws frames one over the other, beginning where the cursor stands at the first: only rows that changed are written,
 * in one write, and nothing above the first row is touched.
 */
import type { Environment } from "../../config/location.ts";
import type { Frame, Row } from "./layout.ts";

export interface Drawer {
  /** The bytes that turn the frame on the screen into this one. */
  draw(frame: Frame): string;
  /** The bytes that take the frame away; the cursor stands where the first began. */
  erase(): string;
  /** The terminal has another width, at which it may have wrapped what was drawn. */
  resized(): void;
  /** What was drawn stays, and the next frame begins anew. */
  forget(): void;
}

export function openDrawer(columns: () => number, reflows: boolean): Drawer {
  let shown: Frame | null = null;

  function toTop(): string {
    const up = shown?.cursor.row ?? 0;
    return `${up > 0 ? `\x1b[${up}A` : ""}\r`;
  }

  return {
    draw(frame) {
      const old = shown?.rows ?? [];
      const wide = columns();
      let bytes = toTop();
      if (old.length > frame.rows.length) bytes += "\x1b[J";
      for (const [i, row] of frame.rows.entries()) {
        if (i > 0) bytes += "\r\n";
        const same = old.length <= frame.rows.length && old[i]?.text === row.text;
        if (!same) bytes += rowBytes(row, wide);
      }
      const up = frame.rows.length - 1 - frame.cursor.row;
      shown = frame;
      return `${bytes}${up > 0 ? `\x1b[${up}A` : ""}\r${frame.cursor.column > 0 ? `\x1b[${frame.cursor.column}C` : ""}`;
    },
    erase() {
      const bytes = `${toTop()}\x1b[J`;
      shown = null;
      return bytes;
    },
    resized() {
      if (shown === null || !reflows) return;
      const { rows, cursor } = shown;
      const wide = columns();
      const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + Math.max(1, Math.ceil(row.width / wide)), 0);
      const within = Math.floor(Math.max(0, Math.min(cursor.column, (rows[cursor.row]?.width ?? 0) - 1)) / wide);
      shown = { rows, cursor: { row: above + within, column: cursor.column } };
    },
    forget() {
      shown = null;
    },
  };
}

/**
 * A row with a grapheme whose width is disputed sets the column after each, which may leave a gap: so it is erased before,
 * and the terminal must not wrap it. After any other the rest is erased, unless the row is full: then the cursor still
 * stands in it, and its last character would go.
 */
function rowBytes(row: Row, wide: number): string {
  if (/\x1b\[\d+G/.test(row.text)) return `\x1b[K\x1b[?7l${row.text}\x1b[?7h`;
  return row.width < wide ? `${row.text}\x1b[K` : row.text;
}

/**
 * Whether the terminal wraps lines anew when it gets narrower, as far as the environment tells. Where that is not known
 * it is not taken for granted: rather a remainder of the prompt above it than a line of the answer erased.
 */
export function reflows(env: Environment): boolean {
  if (env.TMUX) return true;
  if (env.STY) return false;
  if (env.VTE_VERSION || env.KITTY_WINDOW_ID || env.ALACRITTY_WINDOW_ID || env.WT_SESSION) return true;
  return ["iTerm.app", "Apple_Terminal", "WezTerm", "ghostty"].includes(env.TERM_PROGRAM ?? "");
}
