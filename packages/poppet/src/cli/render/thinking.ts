/**
 * C4: `Thinking...`, or the tool at work, on a line of its own below whatever was written last, with the time once that
 * is long; moving by one timer, gone without a trace when hidden. It knows the cursor's column because all that is
 * written above it goes through `above`. Nothing is held back: text above appears at once and the indicator moves down
 * below it.
 */
import type { Clock } from "@poppet/chat";
import { cutWidth, graphemes } from "../graphemes.ts";
import { openColumn } from "./column.ts";
import { glow } from "./theme.ts";
import { duration } from "./time.ts";

export interface Thinking {
  /** Its words, to which the dots are added; the time begins anew with other words. */
  show(words: string): void;
  hide(): void;
  /** Writes `text` above the indicator. `styles` are put around it and take no width. */
  above(text: string, styles?: { readonly before: string; readonly after: string }): void;
  /** Text ended its line elsewhere: on stdout, where both are the same screen. */
  atLineStart(): void;
}

export interface ThinkingScreen {
  write(text: string): void;
  columns(): number;
  readonly highlight: boolean;
  readonly clock: Clock;
}

const dots = "...";
/** The time is told from here on. */
const longMs = 10_000;
/** Columns; below them the time is not told. */
const leastLabel = 11;

export function openThinking(screen: ThinkingScreen): Thinking {
  const column = openColumn();
  const period = screen.highlight ? 80 : 400;
  let frame = 0;
  let words = "";
  let since = 0;
  let shown: { readonly below: boolean; readonly full: boolean } | undefined;
  let skipNewline = false;
  let stop: (() => void) | undefined;

  function tick(): void {
    frame++;
    if (shown !== undefined) screen.write(`\r\x1b[K${drawn()}`);
    stop = screen.clock.after(period, tick);
  }

  function drawn(): string {
    const elapsed = screen.clock.now() - since;
    const all = Math.max(0, screen.columns() - 1);
    const timeText = elapsed < longMs ? "" : ` ${duration(elapsed)}`;
    const time = all - timeText.length < leastLabel ? "" : timeText;
    const room = all - time.length;
    const label = cutWidth(words, Math.max(leastLabel, room) - dots.length);
    const text = label + (screen.highlight ? dots : dots.slice(0, (frame % dots.length) + 1));
    return (screen.highlight ? highlighted(frame, cutWidth(text, room)) : cutWidth(text, room)) + time;
  }

  function draw(): void {
    const below = column.at > 0;
    shown = { below, full: column.at >= screen.columns() };
    screen.write(`${below ? "\n" : ""}${drawn()}`);
  }

  /** Back to where the text above ended. A full line cannot be gone back to: its text goes on where the label was. */
  function erase(): void {
    if (shown === undefined) return;
    const { below, full } = shown;
    shown = undefined;
    if (below && !full) {
      screen.write(`\r\x1b[K\x1b[A\x1b[${column.at + 1}G`);
      return;
    }
    screen.write("\r\x1b[K");
    if (!below) return;
    column.reset();
    skipNewline = true;
  }

  return {
    show(as) {
      if (shown !== undefined && as === words) return;
      since = screen.clock.now();
      erase();
      words = as;
      draw();
      stop ??= screen.clock.after(period, tick);
    },
    hide() {
      stop?.();
      stop = undefined;
      erase();
    },
    above(text, styles) {
      const moving = shown !== undefined;
      erase();
      const rest = skipNewline && text.startsWith("\n") ? text.slice(1) : text;
      if (text !== "") skipNewline = false;
      screen.write(styles === undefined || rest === "" ? rest : styles.before + rest + styles.after);
      column.advance(rest, screen.columns());
      if (moving) draw();
    },
    atLineStart() {
      column.reset();
      skipNewline = false;
    },
  };
}

function highlighted(frame: number, label: string): string {
  const letters = graphemes(label);
  const head = frame % (letters.length + glow.length);
  let text = "";
  let last = "";
  for (const [i, letter] of letters.entries()) {
    const color = glow[head - i] ?? glow[0] ?? "";
    if (color !== last) text += color;
    last = color;
    text += letter;
  }
  return `${text}\x1b[0m`;
}
