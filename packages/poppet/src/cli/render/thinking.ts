/**
 * C4: `Thinking...` on a line of its own below whatever was written last, moving by one timer, gone without a trace when
 * hidden. It knows the cursor's column because all that is written above it goes through `above`. Nothing is held back:
 * text above appears at once and the indicator moves down below it.
 */
import type { Clock } from "@poppet/chat";
import { openColumn } from "./column.ts";
import { glow } from "./theme.ts";

export interface Thinking {
  show(): void;
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

const label = "Thinking...";
const word = "Thinking";

export function openThinking(screen: ThinkingScreen): Thinking {
  const column = openColumn();
  const period = screen.highlight ? 80 : 400;
  let frame = 0;
  let shown: { readonly below: boolean; readonly full: boolean } | undefined;
  let skipNewline = false;
  let stop: (() => void) | undefined;

  function tick(): void {
    frame++;
    if (shown !== undefined) screen.write(`\r\x1b[K${drawn()}`);
    stop = screen.clock.after(period, tick);
  }

  function drawn(): string {
    const room = Math.max(0, screen.columns() - 1);
    return screen.highlight ? highlighted(frame, room) : dotted(frame).slice(0, room);
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
    show() {
      if (shown !== undefined) return;
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

function dotted(frame: number): string {
  return word + ".".repeat((frame % 3) + 1);
}

function highlighted(frame: number, room: number): string {
  const head = frame % (label.length + glow.length);
  let text = "";
  let last = "";
  for (let i = 0; i < Math.min(label.length, room); i++) {
    const color = glow[head - i] ?? glow[0] ?? "";
    if (color !== last) text += color;
    last = color;
    text += label[i] ?? "";
  }
  return `${text}\x1b[0m`;
}
