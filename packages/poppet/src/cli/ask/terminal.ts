/**
 * The terminal while questions are asked: keys instead of lines, none of them shown by the terminal itself. Whatever
 * ends the asking (an answer, an error, a signal, the end of the process), the terminal is as it was before; Ctrl-Z gives
 * it back too, and `fg` takes it again. Leaving is an error that `leftWith` knows.
 */
import { PoppetError } from "../../error.ts";
import { type Key, openKeys } from "../keyboard/keys.ts";
import { openModes } from "../keyboard/modes.ts";
import { readTyping } from "../keyboard/typing.ts";
import type { Program } from "../program.ts";
import type { Colors, Terminal } from "../terminal.ts";

export interface Asking extends Disposable {
  /** The cursor can be moved, so that a question is drawn anew in its place. */
  readonly moving: boolean;
  readonly colors: Colors;
  columns(): number;
  rows(): number;
  write(text: string): void;
  /** The next key. Rejects when the person leaves. */
  key(): Promise<Key>;
  /** Forgets keys that nobody has asked for: what followed a key in a paste is for no other question. */
  dropKeys(): void;
  /** Called where the screen has changed: `fresh`, when others wrote below what was drawn. Returns how to stop. */
  onRedraw(draw: (fresh: boolean) => void): () => void;
  /** The person has left: what is thrown from now on is that. */
  left(): boolean;
  /** Leaves, with this exit code: rejects for whoever waits. */
  leave(code: number): Error;
  /** Does something that takes time. Esc aborts it and gives null; leaving aborts it too, and waits for it a second. */
  during<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value | null>;
}

const escapeMs = 50;
const patienceMs = 1_000;
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const marker = Symbol.for("poppet.left");

export function openAsking(program: Program, terminal: Terminal): Asking {
  const moving = !terminal.dumb;
  const modes = openModes({ pasteMarks: moving ? 2 : null }) ?? noKeys();
  const reader = openKeys();
  const keys: Key[] = [];
  let take: ((key: Key) => void) | null = null;
  let left: Error | null = null;
  let fail: ((left: Error) => void) | null = null;
  let redraw: (fresh: boolean) => void = () => {};
  let flushing: Timer | undefined;

  function write(text: string): void {
    try {
      program.stderr.write(text);
      program.stderr.flush()?.catch(() => undefined);
    } catch {
      // A terminal that has gone is told by SIGHUP.
    }
  }

  function leave(code: number): Error {
    left ??= Object.assign(new Error("left"), { [marker]: code });
    fail?.(left);
    return left;
  }

  function give(all: readonly Key[]): void {
    for (const key of all) {
      if (key.name === "suspend") suspend();
      else if (take !== null) take(key);
      else keys.push(key);
    }
  }

  /** The second one is from somebody who does not want to wait. */
  function interrupt(): void {
    if (left !== null) process.exit(signals.SIGINT);
    leave(signals.SIGINT);
  }

  const heard = (bytes: Uint8Array) => {
    clearTimeout(flushing);
    give(reader.push(bytes));
    if (reader.pending) flushing = setTimeout(() => give(reader.flush()), escapeMs);
  };
  const onResize = () => redraw(false);
  // The shell may have changed the terminal's modes while the process was stopped.
  const onContinue = () => {
    enter();
    redraw(false);
  };
  const listeners = Object.entries(signals).map(([name, code]) => ({
    name,
    listener: name === "SIGINT" ? interrupt : () => void leave(code),
  }));

  function enter(): void {
    modes.take();
  }

  function restore(): void {
    if (moving) write("\x1b[?25h");
    modes.giveBack();
  }

  /** The whole group stops, as the terminal would have it; where nobody could continue it, the system says no. */
  function suspend(): void {
    restore();
    process.off("SIGTSTP", suspend);
    process.kill(0, "SIGTSTP");
    process.on("SIGTSTP", suspend);
    enter();
    redraw(true);
  }

  function close(): void {
    clearTimeout(flushing);
    restore();
    typing.stop();
    process.off("exit", restore);
    process.off("SIGWINCH", onResize);
    process.off("SIGCONT", onContinue);
    process.off("SIGTSTP", suspend);
    for (const { name, listener } of listeners) process.off(name, listener);
  }

  process.on("exit", restore);
  process.on("SIGWINCH", onResize);
  process.on("SIGCONT", onContinue);
  process.on("SIGTSTP", suspend);
  for (const { name, listener } of listeners) process.on(name, listener);
  enter();
  const typing = readTyping(heard);
  typing.ended.then(() => leave(signals.SIGHUP));

  /** Settles by a key or by leaving, whichever is first. */
  function next(onKey: (key: Key) => boolean): Promise<Key> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        take = null;
        fail = null;
      };
      take = (key) => {
        if (!onKey(key)) return;
        settle();
        resolve(key);
      };
      fail = (reason) => {
        settle();
        reject(reason);
      };
      if (left !== null) fail(left);
      for (let key = left === null ? keys.shift() : undefined; key !== undefined; ) {
        take(key);
        key = take === null ? undefined : keys.shift();
      }
    });
  }

  return {
    moving,
    colors: terminal.colors,
    columns: terminal.columns,
    rows: terminal.rows,
    write,
    leave,
    left: () => left !== null,
    key: () => next(() => true),
    dropKeys: () => void keys.splice(0),
    onRedraw(draw) {
      redraw = draw;
      return () => {
        redraw = () => {};
      };
    },
    async during(work) {
      keys.splice(0);
      const controller = new AbortController();
      const working = work(controller.signal);
      const keyed = next(({ name }) => name === "escape" || name === "end-of-input");
      try {
        const first = await Promise.race([working.then((value) => ({ value })), keyed]);
        if ("value" in first) return first.value;
        if (first.name === "end-of-input") throw leave(0);
        controller.abort();
        return null;
      } finally {
        take = null;
        fail = null;
        keyed.catch(() => undefined);
        if (left !== null) controller.abort();
        const ended = working.catch(() => undefined);
        if (controller.signal.aborted) await Promise.race([ended, Bun.sleep(patienceMs)]);
      }
    },
    [Symbol.dispose]: close,
  };
}

function noKeys(): never {
  throw new PoppetError("usage", "The keys of this terminal cannot be read: use the flags of poppet setup --help.");
}

/** The exit code of somebody who left; null where something else was thrown. */
export function leftWith(thrown: unknown): number | null {
  return (thrown as { readonly [marker]?: number } | null)?.[marker] ?? null;
}
