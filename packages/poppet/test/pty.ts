/**
 * Runs the program in a pseudo-terminal and tells what a person sees: the screen by a terminal emulator, the raw bytes,
 * and waiting for either. Close it with `await using`.
 */
import { Terminal as Emulator } from "@xterm/headless";

export interface Pty extends AsyncDisposable {
  readonly process: Bun.Subprocess;
  /** Every byte that arrived so far, as text. */
  raw(): string;
  /** The screen's lines with scrollback, without trailing blanks. */
  screen(): Promise<string>;
  /** Where the cursor stands, counted from 0 in the screen's lines. */
  cursor(): Promise<{ readonly row: number; readonly column: number }>;
  /** Resolves when the cursor stands there. */
  cursorAt(row: number, column: number): Promise<void>;
  /** Resolves when the screen matches; rejects after ten seconds with what it shows. */
  shows(pattern: RegExp | string): Promise<void>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when the raw output matches; rejects after ten seconds with what there is. */
  until(pattern: RegExp | string): Promise<void>;
  exited(): Promise<number>;
}

export interface PtyOptions {
  readonly env?: { readonly [name: string]: string };
  readonly columns?: number;
  readonly rows?: number;
}

export function openPty(command: readonly string[], options: PtyOptions = {}): Pty {
  const { columns = 80, rows = 24, env = {} } = options;
  const emulator = new Emulator({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
  const decoder = new TextDecoder();
  const watchers = new Set<() => void>();
  let text = "";
  let ended: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color", ...env },
    terminal: {
      cols: columns,
      rows,
      data(_terminal, data) {
        text += decoder.decode(data, { stream: true });
        emulator.write(data);
        for (const watcher of watchers) watcher();
      },
      exit: () => ended(),
    },
  });
  const { terminal } = child;
  if (terminal === undefined) throw new Error("no pseudo-terminal");

  const written = () => new Promise<void>((resolve) => emulator.write("", resolve));

  async function screen(): Promise<string> {
    await written();
    const { active } = emulator.buffer;
    const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  async function cursor() {
    await written();
    const { baseY, cursorX, cursorY } = emulator.buffer.active;
    return { row: baseY + cursorY, column: cursorX };
  }

  function becomes(isSo: () => Promise<boolean>, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(async () => {
        watchers.delete(look);
        reject(new Error(`the screen does not ${what}, but: ${JSON.stringify(await cursor())}\n${await screen()}`));
      }, 10_000);
      const look = async () => {
        if (!(await isSo())) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  }

  return {
    process: child,
    raw: () => text,
    screen,
    cursor,
    shows(pattern) {
      const found = (seen: string) => (typeof pattern === "string" ? seen.includes(pattern) : pattern.test(seen));
      return becomes(async () => found(await screen()), `show ${String(pattern)}`);
    },
    cursorAt: (row, column) =>
      becomes(async () => Bun.deepEquals(await cursor(), { row, column }), `have its cursor at ${row}, ${column}`),
    type: (input) => void terminal.write(input),
    resize(newColumns, newRows) {
      terminal.resize(newColumns, newRows);
      emulator.resize(newColumns, newRows);
    },
    until(pattern) {
      return new Promise((resolve, reject) => {
        const found = () => (typeof pattern === "string" ? text.includes(pattern) : pattern.test(text));
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`the terminal did not show ${String(pattern)}, but ${JSON.stringify(text)}`));
        }, 10_000);
        const look = () => {
          if (!found()) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    async exited() {
      const code = await child.exited;
      await Promise.race([end, Bun.sleep(200)]);
      return code;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
      terminal.close();
      emulator.dispose();
    },
  };
}
