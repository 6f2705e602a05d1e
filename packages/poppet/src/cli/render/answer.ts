/**
 * The answer's text, step by step, on stdout. On a terminal it is cleaned; anywhere else it is the model's bytes.
 * Between two steps that have text stands one blank line, and an answer that lacks a last newline gets one.
 */
import { openCleaner, openWhole, type TextStream } from "../../clean.ts";

export interface Answer {
  push(step: number, delta: string): void;
  /** Ends a line that is under way, with the blank line that the next step's text would begin with. */
  breakLine(): void;
  end(): void;
}

export function openAnswer(write: (text: string) => void, isTerminal: boolean): Answer {
  const stream: TextStream = isTerminal ? openCleaner() : openWhole();
  let step = 0;
  /** Newlines at the end of what was written; null where nothing was. */
  let tail: number | null = null;

  function put(text: string): void {
    if (text === "") return;
    write(text);
    const trailing = /\n*$/.exec(text.slice(-2))?.[0].length ?? 0;
    tail = trailing === text.length ? Math.min(2, (tail ?? 0) + trailing) : trailing;
  }

  function separate(): void {
    put(stream.end());
    if (tail !== null) put("\n".repeat(2 - tail));
  }

  return {
    push(at, delta) {
      if (delta === "") return;
      if (at !== step) separate();
      step = at;
      put(stream.push(delta));
    },
    breakLine() {
      if (tail === 0) separate();
    },
    end() {
      put(stream.end());
      if (tail === 0) put("\n");
    },
  };
}
