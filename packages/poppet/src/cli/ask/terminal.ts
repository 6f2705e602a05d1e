/**
 * The terminal while questions are asked: keys instead of lines, none of them shown by the terminal itself. Whatever
 * ends the asking (an answer, an error, a signal, the end of the process), the terminal is as it was before; Ctrl-Z gives
 * it back too, and `fg` takes it again. Leaving is an error that `leftWith` knows.
 */
import type { Program } from "../program.ts";
import type { Colors, Terminal } from "../terminal.ts";
import { type Key, openKeyReader } from "./keys.ts";

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
  const { stdin, stderr } = process;
  const moving = !terminal.dumb;
  const reader = openKeyReader();
  const decoder = new TextDecoder();
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
      else if (key.name === "interrupt") interrupt();
      else if (take !== null) take(key);
      else keys.push(key);
    }
  }

  /** The second one is from somebody who does not want to wait. */
  function interrupt(): void {
    if (left !== null) process.exit(signals.SIGINT);
    leave(signals.SIGINT);
  }

  const onData = (bytes: Uint8Array) => {
    clearTimeout(flushing);
    give(reader.push(decoder.decode(bytes, { stream: true })));
    if (reader.waiting()) flushing = setTimeout(() => give(reader.flush()), escapeMs);
  };
  const onEnd = () => void leave(signals.SIGHUP);
  const onResize = () => redraw(false);
  // The shell may have changed the terminal's modes while the process was stopped.
  const onContinue = () => {
    enter();
    redraw(false);
  };
  const listeners = Object.entries(signals).map(([name, code]) => ({ name, listener: () => void leave(code) }));

  function enter(): void {
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    if (moving) write("\x1b[?2004h");
  }

  function restore(): void {
    if (moving) write("\x1b[?2004l\x1b[?25h");
    try {
      stdin.setRawMode(false);
    } catch {
      // It has gone, and its modes with it.
    }
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
    stdin.off("data", onData);
    stdin.off("end", onEnd);
    stdin.pause();
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
  stdin.on("data", onData);
  stdin.on("end", onEnd);
  enter();
  stdin.resume();

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
      else while (take !== null && keys.length > 0) take(keys.shift() ?? { name: "other" });
    });
  }

  return {
    moving,
    colors: terminal.colors,
    columns: terminal.columns,
    rows: () => stderr.getWindowSize?.()[1] || 24,
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

/** The exit code of somebody who left; null where something else was thrown. */
export function leftWith(thrown: unknown): number | null {
  return (thrown as { readonly [marker]?: number } | null)?.[marker] ?? null;
}
