/**
 * The answer's text, step by step, on stdout, through what draws it. Between two steps that have text stands one blank
 * line, and an answer that lacks a last newline gets one. No style is left on between two writes, so that whatever else
 * comes to the screen has its own.
 */
import type { TextStream } from "../../clean.ts";
import type { Around } from "./theme.ts";

export interface Answer {
  push(step: number, delta: string): void;
  /**
   * Writes what is held and ends a line that is under way, with the blank line that the next step's text would begin
   * with.
   */
  breakLine(): void;
  end(): void;
}

export interface Drawing extends TextStream {
  /** The style in which the text goes on. */
  readonly open?: Around | undefined;
  /** What is held, and the end of the line, where the text goes on after something else. */
  pause?(): string;
}

export function openAnswer(write: (text: string) => void, drawing: Drawing): Answer {
  let step = 0;
  /** Newlines at the end of what was written; null where nothing was. */
  let tail: number | null = null;
  let style: Around | undefined;

  function put(text: string): void {
    if (text === "") return;
    const before = style?.before ?? "";
    style = drawing.open;
    write(before + text + (style?.after ?? ""));
    const trailing = /\n*$/.exec(text.slice(-2))?.[0].length ?? 0;
    tail = trailing === text.length ? Math.min(2, (tail ?? 0) + trailing) : trailing;
  }

  function separate(): void {
    put(drawing.end());
    if (tail !== null) put("\n".repeat(2 - tail));
  }

  return {
    push(at, delta) {
      if (delta === "") return;
      if (at !== step) separate();
      step = at;
      put(drawing.push(delta));
    },
    breakLine() {
      put(drawing.pause?.() ?? drawing.end());
      if (tail === 0) put("\n\n");
    },
    end() {
      put(drawing.end());
      if (tail === 0) put("\n");
    },
  };
}
