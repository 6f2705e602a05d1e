/**
 * Ctrl-C, SIGTERM, SIGHUP and a reader that went away, as one abort of the run. A second signal ends the process at
 * once; so does a run that has not ended a second after the first.
 */
import { ChatError } from "@poppet/chat";

export interface Interruption {
  readonly signal: AbortSignal;
  /** What to exit with because of it; null where nothing happened. */
  exitCode(): number | null;
  /** Of stdout; `why` where it is not simply that nobody reads. */
  outputGone(why?: string): void;
  /** What is only nice to have: an interruption ends it, and the exit code is 0 all the same. */
  afterwards<T>(work: () => Promise<T>): Promise<T>;
  /** From now on signals do what they do by default. */
  stop(): void;
}

const causes = {
  SIGINT: { code: 130, message: "Stopped by Ctrl-C." },
  SIGTERM: { code: 143, message: "Stopped by SIGTERM." },
  SIGHUP: { code: 129, message: "Stopped because the terminal was closed." },
  stdout: { code: 1, message: "Stopped because nobody reads the output any more." },
} as const;
type Cause = keyof typeof causes;

const patienceMs = 1_000;

export function watchSignals(onInterrupt: () => void): Interruption {
  const controller = new AbortController();
  let code: number | null = null;
  let deadline: Timer | undefined;
  let over = false;

  function interrupt(by: Cause, message: string = causes[by].message): void {
    const exitCode = over ? 0 : causes[by].code;
    if (code !== null) {
      if (by !== "stdout") process.exit(exitCode);
      return;
    }
    code = exitCode;
    deadline = setTimeout(() => process.exit(exitCode), patienceMs);
    controller.abort(new ChatError("aborted", message, { details: { by } }));
    onInterrupt();
  }

  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listeners = names.map((name) => ({ name, listener: () => interrupt(name) }));
  for (const { name, listener } of listeners) process.on(name, listener);

  return {
    signal: controller.signal,
    exitCode: () => code,
    outputGone: (why) => interrupt("stdout", why),
    async afterwards(work) {
      over = true;
      try {
        return await work();
      } finally {
        over = false;
      }
    },
    stop() {
      clearTimeout(deadline);
      for (const { name, listener } of listeners) process.off(name, listener);
    },
  };
}
