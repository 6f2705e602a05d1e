/**
 * stdout and stderr, written so that a slow reader holds back the writer and not the process: signals are still seen
 * while a pipe is full. A reader that has gone closes the output: what is written after that is dropped, `onClosed` is
 * called once, and nothing is thrown. Any other failure (a full disk) is thrown by `flush`.
 */
import { PoppetError, systemReason } from "../error.ts";

export interface Output {
  readonly closed: boolean;
  /** Keeps the text until `flush`. */
  write(text: string): void;
  /** Hands over what was written; a promise only where the reader is slow. */
  flush(): Promise<void> | undefined;
  /** From now on nobody waits for a slow reader: the process is about to end. */
  release(): void;
  onClosed(listener: () => void): void;
}

export function openOutput(descriptor: 1 | 2): Output {
  return new FileOutput(descriptor);
}

class FileOutput implements Output {
  closed = false;
  readonly #descriptor: 1 | 2;
  readonly #listeners: (() => void)[] = [];
  #sink: Bun.FileSink | undefined;
  #waiting = "";
  #released = false;
  readonly #waiters = new Set<() => void>();
  #failure: unknown;

  constructor(descriptor: 1 | 2) {
    this.#descriptor = descriptor;
  }

  write(text: string): void {
    if (!this.closed) this.#waiting += text;
  }

  flush(): Promise<void> | undefined {
    const text = this.#waiting;
    if (this.#failure !== undefined) throw this.#failed();
    if (text === "" || this.closed) return undefined;
    this.#waiting = "";
    try {
      this.#sink ??= (this.#descriptor === 1 ? Bun.stdout : Bun.stderr).writer();
      const written: unknown = this.#sink.write(text);
      const flushed: unknown = this.#sink.flush();
      if (!(written instanceof Promise) && !(flushed instanceof Promise)) return undefined;
      return this.#wait(Promise.all([written, flushed]));
    } catch (thrown) {
      this.#fail(thrown);
      if (this.#failure !== undefined) throw this.#failed();
      return undefined;
    }
  }

  release(): void {
    this.#released = true;
    for (const wake of this.#waiters) wake();
  }

  onClosed(listener: () => void): void {
    if (this.closed) listener();
    else this.#listeners.push(listener);
  }

  async #wait(written: Promise<unknown>): Promise<void> {
    const settled = written.then(
      () => undefined,
      (thrown: unknown) => this.#fail(thrown),
    );
    if (this.#released) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiters.delete(wake);
        resolve();
      };
      this.#waiters.add(wake);
      settled.then(wake);
    });
    if (this.#failure !== undefined) throw this.#failed();
  }

  /** Nothing can be said of a broken stderr, so it counts as closed whatever broke it. */
  #fail(thrown: unknown): void {
    const code = (thrown as { readonly code?: unknown }).code;
    if (code !== "EPIPE" && code !== "ECONNRESET" && this.#descriptor === 1) {
      this.#failure = thrown;
      return;
    }
    if (this.closed) return;
    this.closed = true;
    for (const listener of this.#listeners) listener();
  }

  #failed(): PoppetError {
    const why = systemReason(this.#failure);
    this.#failure = undefined;
    this.closed = true;
    return new PoppetError("output_failed", `The output cannot be written: ${why}.`);
  }
}
