/**
 * The screen that a renderer shares with the prompt. What the renderer writes goes on at once, or waits while something
 * stands below it that a person is typing in; a notice of one row moves along below it. Nothing that was printed is
 * printed again, and the renderer never waits for a person.
 */
import type { Clock } from "@poppet/chat";
import { cutWidth } from "../graphemes.ts";
import type { Sink } from "../render/run.ts";
import type { Drawer } from "./draw.ts";
import { openTrail } from "./trail.ts";

export interface Stage {
  /** For the renderer. Its stderr is the same screen; it moves by this clock, which stands still while it waits. */
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly clock: Clock;
  /** What the renderer writes waits from now on; the cursor stands at the beginning of a row below it. */
  open(): void;
  /** The renderer goes on where it was. The cursor stands where `open` left it. */
  close(): void;
  readonly opened: boolean;
  /** One row that stays below what the renderer writes. */
  notice(text: string | null): void;
  /** Takes the notice away and ends a line that is under way. */
  leave(): void;
  /** The cursor was taken to the beginning of a fresh line by somebody else. */
  fresh(): void;
  /** The terminal has another width. */
  resized(): void;
  /** Before another program gets the screen: nothing of ours stands below, and its line is a fresh one. */
  suspend(): void;
  /** Another program wrote on the screen: the renderer's last lines are written anew. */
  restore(): void;
}

export interface StageOptions {
  readonly out: Sink;
  readonly clock: Clock;
  /** For the notice. */
  readonly drawer: Drawer;
  readonly style: readonly [before: string, after: string];
  columns(): number;
}

export function openStage({ out, clock, drawer, style, columns }: StageOptions): Stage {
  const trail = openTrail();
  const held: (() => void)[] = [];
  let opened = false;
  /** Another program has the screen. */
  let away = false;
  let waiting = "";
  let notice: string | null = null;
  /** The notice is on the screen. */
  let noticed = false;
  /** The row below the last line was already gone to, so the newline that ends that line is not to be written. */
  let skipNewline = false;

  /** To the beginning of a row below the renderer's cursor. */
  function down(): string {
    return trail.column() > 0 ? "\r\n" : "";
  }

  /** Back from there. A full line cannot be gone back to: the text goes on in the row that it would wrap to. */
  function up(): string {
    const column = trail.column();
    if (column === 0) return "";
    if (column < columns()) return `\x1b[A\x1b[${column + 1}G`;
    trail.fresh();
    skipNewline = true;
    return "";
  }

  function showNotice(): string {
    if (notice === null) return "";
    noticed = true;
    return down() + drawNotice(notice);
  }

  function drawNotice(words: string): string {
    const text = cutWidth(words, Math.max(1, columns() - 1));
    const width = Bun.stringWidth(text);
    return drawer.draw({ rows: [{ text: style[0] + text + style[1], width }], cursor: { row: 0, column: width } });
  }

  function hideNotice(): string {
    if (!noticed) return "";
    noticed = false;
    return drawer.erase() + up();
  }

  function follow(text: string): string {
    if (text === "") return "";
    const rest = skipNewline && text.startsWith("\n") ? text.slice(1) : text;
    skipNewline = false;
    trail.follow(rest, columns());
    return rest;
  }

  function flush(): Promise<void> | undefined {
    if (opened || away || waiting === "") return undefined;
    const text = waiting;
    waiting = "";
    const hidden = hideNotice();
    out.write(hidden + follow(text) + showNotice());
    return out.flush();
  }

  const sink: Sink = {
    write(text) {
      waiting += text;
    },
    flush,
  };

  function now(text: string): void {
    out.write(text);
    out.flush()?.catch(() => undefined);
  }

  function goOn(): void {
    flush()?.catch(() => undefined);
    for (const due of held.splice(0)) due();
  }

  return {
    stdout: sink,
    stderr: sink,
    clock: {
      now: clock.now,
      after(ms, then) {
        let over = false;
        const due = () => {
          if (over) return;
          if (opened || away) held.push(due);
          else then();
        };
        const cancel = clock.after(ms, due);
        return () => {
          over = true;
          cancel();
        };
      },
    },
    get opened() {
      return opened;
    },
    open() {
      if (opened) return;
      flush()?.catch(() => undefined);
      opened = true;
      now(hideNotice() + down());
    },
    close() {
      if (!opened) return;
      opened = false;
      now(up() + (waiting === "" ? showNotice() : ""));
      goOn();
    },
    notice(text) {
      if (text === notice) return;
      const hidden = opened ? "" : hideNotice();
      notice = text;
      if (!opened) now(hidden + showNotice());
    },
    leave() {
      const hidden = hideNotice();
      notice = null;
      now(hidden + down());
      trail.fresh();
      skipNewline = false;
    },
    fresh: () => trail.fresh(),
    resized() {
      trail.resized(columns());
      if (!noticed || notice === null) return;
      drawer.resized();
      now(drawer.erase() + drawNotice(notice));
    },
    suspend() {
      now(opened ? "" : hideNotice() + down());
      away = true;
    },
    restore() {
      away = false;
      const lines = trail.lines();
      trail.fresh();
      now(follow(lines) + (opened ? down() : showNotice()));
      if (!opened) goOn();
    },
  };
}
