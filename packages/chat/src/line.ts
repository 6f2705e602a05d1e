/** Who waits for whom: a line where one is served at a time, first come first served, and one may leave at any time. */
import { untilAborted } from "./abort.ts";
import { abortError } from "./errors.ts";

export class Line {
  /** Lets those who wait in, the first of them first; null: nobody is in. */
  #waiting: (() => void)[] | null = null;

  /** Waits until all before have left; the returned function leaves. Aborted meanwhile: out of the line, ChatError. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) throw abortError(signal.reason);
    const wait = this.#wait();
    if (wait && signal) {
      // Given up, the place is left as soon as its turn comes.
      await untilAborted(wait, signal, () => this.#leave()).catch((reason) => Promise.reject(abortError(reason)));
    } else if (wait) await wait;
    let isIn = true;
    return () => {
      if (isIn) this.#leave();
      isIn = false;
    };
  }

  /** One short piece of work at a time. */
  async serve<Result>(work: () => Promise<Result>): Promise<Result> {
    const wait = this.#wait();
    if (wait) await wait;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #wait(): Promise<void> | null {
    const waiting = this.#waiting;
    if (waiting) return new Promise((resolve) => waiting.push(resolve));
    this.#waiting = [];
    return null;
  }

  #leave(): void {
    const next = this.#waiting?.shift();
    if (next) next();
    else this.#waiting = null;
  }
}
