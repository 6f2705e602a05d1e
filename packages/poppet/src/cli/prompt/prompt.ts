/**
 * The prompt of a terminal: reads keys from the start to the end of the program, shows the line while one is asked for,
 * opens it below an answer when a key is pressed there, and hands out what was entered in the order in which it was.
 */
import type { Clock } from "@poppet/chat";
import { type Key, openKeys } from "../keyboard/keys.ts";
import type { Modes } from "../keyboard/modes.ts";
import { readTyping } from "../keyboard/typing.ts";
import type { Sink } from "../render/run.ts";
import type { Complete } from "./complete.ts";
import { openDrawer } from "./draw.ts";
import { type Action, type Editor, entered, newEditor, press, remember } from "./editor.ts";
import { type Entry, takeLines } from "./entry.ts";
import { type Area, committed, label, layout, type PromptStyle } from "./layout.ts";
import { replace } from "./line.ts";
import { openStage, type Stage } from "./stage.ts";

export interface Prompt {
  /** All that is drawn goes through it. */
  readonly stage: Stage;
  /** The next entry that is not blank, in the order in which they were made. Shows the prompt where none waits. */
  read(): Promise<Entry>;
  /** For `older` and the search, as if it had been entered. */
  remember(text: string): void;
  /** Takes back the lines that were entered and not handed out yet, and returns them; `older` finds them. An end stays. */
  withdraw(): readonly string[];
  /** Ends a read under way, as Ctrl-D does; a line that is open below an answer is dropped. */
  interrupt(): void;
  close(): void;
}

export interface PromptOptions {
  readonly out: Sink;
  readonly clock: Clock;
  readonly modes: Modes;
  readonly area: () => Area;
  /** The terminal wraps lines anew when it gets narrower. */
  readonly reflows: boolean;
  readonly style: PromptStyle;
  readonly complete: Complete;
}

/** A lone escape is the key only if nothing follows it for so long. */
const escapeMs = 50;

export function openLinePrompt(options: PromptOptions): Prompt {
  const { out, clock, modes, area, reflows, style } = options;
  const columns = () => area().columns;
  const stage = openStage({ out, clock, drawer: openDrawer(columns, reflows), style: style.hint, columns });
  const drawer = openDrawer(columns, reflows);
  const keys = openKeys();
  const queue: Entry[] = [];
  let editor: Editor = newEditor;
  let reading: ((entry: Entry) => void) | null = null;
  let cancelFlush = () => {};
  let suspended = false;

  function draw(): void {
    if (reading === null && !stage.opened) return;
    now(drawer.draw(layout(editor, area(), style)));
  }

  function now(bytes: string): void {
    out.write(bytes);
    out.flush()?.catch(() => undefined);
  }

  function pressed(key: Key): void {
    if (reading === null && !stage.opened) {
      if (key.name === "suspend") actions.suspend();
      if (!opens(key)) return;
      stage.open();
    }
    const { editor: next, action } = press(editor, key);
    editor = next;
    if (action === null) draw();
    else actions[action]();
  }

  const actions: { readonly [Name in Action]: () => void } = {
    enter,
    end: () => leave({ type: "end" }),
    close,
    complete,
    redraw() {
      now(drawer.erase());
      draw();
    },
    // All of the job stops, as it would by the signal that the terminal sends.
    suspend: () => suspend(0),
  };

  function enter(): void {
    const { text } = editor.line;
    editor = entered(editor);
    if (text.trim() === "") close();
    else leave({ type: "line", text });
  }

  /** Hands the entry out, or keeps it for later. The line goes from below an answer, and stays where it was asked for. */
  function leave(entry: Entry): void {
    if (stage.opened) {
      now(drawer.erase());
      stage.close();
      if (reading !== null) stage.leave();
    }
    const deliver = reading;
    if (deliver === null) {
      queue.push(entry);
      showQueue();
      return;
    }
    reading = null;
    const text = entry.type === "line" ? entry.text : editor.line.text;
    now(`${drawer.draw(committed(text, columns(), style))}\r\n`);
    drawer.forget();
    deliver(entry);
  }

  /** The answer goes on; what was typed comes back with the next key, or at the next prompt. */
  function close(): void {
    if (stage.opened) {
      now(drawer.erase());
      stage.close();
      if (reading !== null) stage.leave();
    }
    draw();
  }

  function complete(): void {
    const { line } = editor;
    options.complete(line).then(
      (found) => {
        // What was typed since is not overwritten.
        if (editor.line !== line || found === null) return;
        editor = { ...editor, line: replace(line, found.from, line.cursor, found.text), hints: found.choices };
        draw();
      },
      () => undefined,
    );
  }

  function showQueue(): void {
    const [first] = queue;
    if (first === undefined) {
      stage.notice(null);
      return;
    }
    const text = first.type === "end" ? "leaving after this answer" : `next: ${first.text}`;
    stage.notice(queue.length > 1 ? `${text} (and ${queue.length - 1} more)` : text);
  }

  function heard(bytes: Uint8Array): void {
    cancelFlush();
    for (const key of keys.push(bytes)) pressed(key);
    if (!keys.pending) return;
    cancelFlush = clock.after(escapeMs, () => {
      for (const key of keys.flush()) pressed(key);
    });
  }

  function suspend(whom: number): void {
    if (suspended) return;
    suspended = true;
    if (reading !== null || stage.opened) now(drawer.erase());
    stage.suspend();
    modes.giveBack();
    // What the signal does by default; it does nothing where no shell would ever continue the process.
    process.off("SIGTSTP", told);
    process.kill(whom, "SIGTSTP");
    clock.after(0, () => {
      if (suspended) resume();
    });
  }

  /** Also where something else stopped the process, which left it no time to prepare. */
  function resume(): void {
    if (suspended) process.on("SIGTSTP", told);
    suspended = false;
    modes.take();
    drawer.forget();
    stage.restore();
    draw();
  }

  function resized(): void {
    stage.resized();
    if (reading === null && !stage.opened) return;
    drawer.resized();
    now(drawer.erase());
    draw();
  }

  const told = () => suspend(process.pid);
  process.on("SIGTSTP", told);
  process.on("SIGCONT", resume);
  process.on("SIGWINCH", resized);
  process.on("SIGQUIT", quit);
  modes.take();
  // A terminal that is gone has no more keys.
  const typing = readTyping(heard);
  typing.ended.then(() => leave({ type: "end" }));

  return {
    stage,
    read() {
      const next = queue.shift();
      if (next !== undefined) {
        showQueue();
        if (next.type === "line") {
          stage.stdout.write(`${style.label[0]}${label}${style.label[1]}${next.text}\n`);
          stage.stdout.flush()?.catch(() => undefined);
        }
        return Promise.resolve(next);
      }
      if (!stage.opened) stage.leave();
      return new Promise((resolve) => {
        reading = resolve;
        draw();
      });
    },
    remember(text) {
      editor = remember(editor, text);
    },
    withdraw() {
      const lines = takeLines(queue);
      showQueue();
      return lines;
    },
    interrupt() {
      if (reading !== null) leave({ type: "end" });
      else if (stage.opened) {
        now(drawer.erase());
        stage.close();
      }
    },
    close() {
      process.off("SIGTSTP", told);
      process.off("SIGCONT", resume);
      process.off("SIGWINCH", resized);
      process.off("SIGQUIT", quit);
      typing.stop();
      modes.giveBack();
    },
  };
}

/** By `exit`, which gives the terminal back. */
function quit(): void {
  process.exit(131);
}

/** What begins a line below an answer; a cursor key there means nothing. */
function opens(key: Key): boolean {
  return ["text", "paste", "end-of-input", "up", "search"].includes(key.name);
}
