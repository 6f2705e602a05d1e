/** The program with a tool as a process that a test interrupts: on pipes by a signal, or on a terminal by Ctrl-C. */
import { join } from "node:path";
import { openPty } from "../pty.ts";

export interface Running extends AsyncDisposable {
  /** When the output, stdout and stderr together, has this in it. */
  until(text: string): Promise<void>;
  interrupt(): void;
  /** The exit code, when nobody holds the output open any more. */
  exited(): Promise<number>;
  output(): string;
}

export type Interrupt = "Ctrl-C" | "SIGINT" | "SIGTERM" | "SIGHUP";

/** What the program says, and what the run's record says. */
export const reasons: { readonly [How in Interrupt]: string } = {
  "Ctrl-C": "Stopped by Ctrl-C.",
  SIGINT: "Stopped by Ctrl-C.",
  SIGTERM: "Stopped by SIGTERM.",
  SIGHUP: "Stopped because the terminal was closed.",
};

export const exitCodes: { readonly [How in Interrupt]: number } = {
  "Ctrl-C": 130,
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

export function runTold(
  given: readonly string[],
  env: { readonly [name: string]: string },
  interrupt: Interrupt,
): Running {
  const command = [process.execPath, join(import.meta.dir, "tool-program.ts"), ...given];
  return interrupt === "Ctrl-C" ? onTerminal(command, env) : onPipes(command, env, interrupt);
}

function onTerminal(command: readonly string[], env: { readonly [name: string]: string }): Running {
  const pty = openPty(command, { env });
  return {
    until: (text) => pty.until(text),
    interrupt: () => pty.type("\x03"),
    exited: () => pty.exited(),
    output: () => pty.raw(),
    [Symbol.asyncDispose]: () => pty[Symbol.asyncDispose](),
  };
}

function onPipes(
  command: readonly string[],
  env: { readonly [name: string]: string },
  signal: Exclude<Interrupt, "Ctrl-C">,
): Running {
  const child = Bun.spawn([...command], { env: { ...env }, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let text = "";
  const watchers = new Set<() => void>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      for (const watcher of watchers) watcher();
    }
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr)]);
  return {
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => text.includes(wanted) && resolve();
        watchers.add(look);
        look();
        ended.then(() => reject(new Error(`the output ended without ${wanted}: ${text}`)), reject);
      }),
    interrupt: () => child.kill(signal),
    async exited() {
      await ended;
      return child.exited;
    },
    output: () => text,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
    },
  };
}
