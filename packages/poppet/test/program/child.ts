/**
 * A child process whose outputs can be watched while it runs: what it wrote so far, and waiting until it wrote something.
 * Close it with `await using`: what still runs is killed.
 */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Watched {
  /** What arrived so far. */
  text(): string;
  /** Resolves when the text has the pattern; rejects when the stream ends without it. */
  until(pattern: string | RegExp): Promise<void>;
  /** The whole text, when the stream has ended. */
  readonly whole: Promise<string>;
}

export interface Child extends AsyncDisposable {
  readonly stdout: Watched;
  readonly stderr: Watched;
  kill(signal: NodeJS.Signals): void;
  ended(): Promise<Ended>;
}

export interface ChildOptions {
  readonly env: { readonly [name: string]: string };
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

export function startChild(command: readonly string[], { env, stdin, cwd }: ChildOptions): Child {
  const child = Bun.spawn([...command], {
    env: { ...env },
    ...(cwd !== undefined && { cwd }),
    stdin: stdin === undefined ? "ignore" : new Blob([stdin as BlobPart]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const stdout = watch(child.stdout);
  const stderr = watch(child.stderr);
  return {
    stdout,
    stderr,
    kill: (signal) => child.kill(signal),
    async ended() {
      const [code, out, err] = await Promise.all([child.exited, stdout.whole, stderr.whole]);
      return { code, stdout: out, stderr: err };
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function watch(stream: ReadableStream<Uint8Array>): Watched {
  let text = "";
  let over = false;
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      tell();
    }
    over = true;
    tell();
    return text;
  };
  return {
    text: () => text,
    whole: read(),
    until(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = typeof pattern === "string" ? text.includes(pattern) : pattern.test(text);
          if (!found && !over) return;
          watchers.delete(look);
          if (found) resolve();
          else reject(new Error(`the stream ended without ${String(pattern)}: ${JSON.stringify(text)}`));
        };
        watchers.add(look);
        look();
      });
    },
  };
}
