/**
 * A program with its descendants: started with a text as its input, read as it writes, and ended together. They are a
 * group of their own, so that nothing is left of them when this one is done with: on `end`, once the program itself has
 * gone, and when this process exits.
 */
import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

export interface Program {
  readonly executable: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly folder: string;
  readonly input: string;
}

export interface RunningProgram {
  /** What it writes to its output. */
  readonly output: AsyncIterable<Uint8Array>;
  readonly ended: Promise<Ending>;
  /** The end of what it wrote to its error output. */
  errorText(): string;
  /** Asks it and its descendants to end, and makes them after two seconds. */
  end(): void;
}

export type Ending =
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly signal: string }
  | { readonly type: "not-started"; readonly error: Error & { readonly code?: string } };

/** What to end when this process does: one listener for all. */
const running = new Set<() => void>();
const endAll = () => {
  for (const end of running) end();
};

const graceMs = 2_000;
const errorTextBytes = 8_192;

export function startProgram({ executable, args, env, folder, input }: Program): RunningProgram {
  let child: ChildProcess;
  try {
    child = spawn(executable, args, {
      cwd: folder,
      env: { ...env },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Arguments that are too long, for one.
    return notStarted(error as Error);
  }
  const signalAll = (signal: "SIGTERM" | "SIGKILL") => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Nobody is left in the group, or this system has none.
      child.kill(signal);
    }
  };
  const killAll = () => signalAll("SIGKILL");
  if (running.size === 0) process.on("exit", endAll);
  running.add(killAll);

  let timer: ReturnType<typeof setTimeout> | null = null;
  let gone = false;
  const ended = new Promise<Ending>((resolve) => {
    child.on("error", (error) => {
      if (child.pid !== undefined) return;
      gone = true;
      resolve({ type: "not-started", error });
    });
    child.on("exit", (code, signal) => {
      gone = true;
      killAll();
      const ending: Ending = signal ? { type: "signal", signal } : { type: "exit", code: code ?? 0 };
      // One that left the group may hold the output open: what is missing after a second is not waited for.
      const late = setTimeout(resolve, 1_000, ending);
      child.on("close", () => {
        clearTimeout(late);
        resolve(ending);
      });
    });
  }).finally(() => {
    running.delete(killAll);
    if (running.size === 0) process.off("exit", endAll);
    if (timer) clearTimeout(timer);
    child.stdout?.destroy();
  });

  let errorText = new Uint8Array();
  child.stderr?.on("data", (chunk: Uint8Array) => {
    const all = new Uint8Array(errorText.length + chunk.length);
    all.set(errorText);
    all.set(chunk, errorText.length);
    errorText = all.slice(-errorTextBytes);
  });
  // It may end before it has read its input, or close its output first.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  child.stdin?.end(input);

  return {
    output: untilClosed(child),
    ended,
    errorText: () => new TextDecoder().decode(errorText),
    end() {
      if (gone || timer) return;
      signalAll("SIGTERM");
      timer = setTimeout(() => {
        killAll();
        child.stdout?.destroy();
      }, graceMs);
    },
  };
}

async function* untilClosed(child: ChildProcess): AsyncGenerator<Uint8Array> {
  if (!child.stdout) return;
  try {
    for await (const chunk of child.stdout) yield chunk as Uint8Array;
  } catch {
    // Closed before its end; how the program ended says the rest.
  }
}

function notStarted(error: Error): RunningProgram {
  return {
    output: (async function* () {})(),
    ended: Promise.resolve({ type: "not-started", error }),
    errorText: () => "",
    end() {},
  };
}
