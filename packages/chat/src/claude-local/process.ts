/**
 * A program with its descendants: started with a text as its input, read as it writes, and ended together. They are a
 * group of their own, of which nothing is left after `end`, after the program itself, and after this process, however that
 * went.
 */
import { type ChildProcess, spawn } from "node:child_process";

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
  /** Asks it to end, which it has two seconds for; then it is ended with its descendants. */
  end(): void;
}

export type Ending =
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly signal: string }
  | { readonly type: "not-started"; readonly error: Error & { readonly code?: string } };

/**
 * The shell becomes the program, beside a watcher that reads a pipe which only this process holds: at its end there is
 * nobody left to talk to. A signal listener here would not do: a killed process has none, and one changes what Ctrl-C does.
 */
const shell = `(trap "" HUP INT TERM; read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 </dev/null & exec "$0" "$@" 3<&-`;

const graceMs = 2_000;
const errorTextBytes = 8_192;

export function startProgram({ executable, args, env, folder, input }: Program): RunningProgram {
  let child: ChildProcess;
  try {
    child = spawn("/bin/sh", ["-c", shell, executable, ...args], {
      cwd: folder,
      env: { ...env },
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Arguments that are too long, for one.
    return notStarted(error as Error);
  }
  /** The watcher does it. */
  const killAll = () => child.stdio[3]?.destroy();
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
    if (timer) clearTimeout(timer);
    for (const stream of child.stdio) stream?.destroy();
  });

  let errorText = new Uint8Array();
  child.stderr?.on("data", (chunk: Uint8Array) => {
    const all = new Uint8Array(errorText.length + chunk.length);
    all.set(errorText);
    all.set(chunk, errorText.length);
    errorText = all.slice(-errorTextBytes);
  });
  // It may end before it has read its input, or close its output first.
  for (const stream of child.stdio) stream?.on("error", () => {});
  child.stdin?.end(input);

  return {
    output: untilClosed(child),
    ended,
    errorText: () => new TextDecoder().decode(errorText),
    end() {
      if (gone || timer) return;
      child.kill("SIGTERM");
      timer = setTimeout(killAll, graceMs);
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
