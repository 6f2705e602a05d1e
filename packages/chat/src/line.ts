/** Who waits for whom: a line where one is served at a time, first come first served, and one may leave at any time. */
import { untilAborted } from "./abort.ts";

export class Line {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits until all before have left; the returned function leaves. Rejects with the signal's reason, out of the line. */
  async enter(signal: AbortSignal): Promise<() => void> {
    const { before, leave } = this.#join();
    try {
      await untilAborted(before, signal);
      return leave;
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  /** One short piece of work at a time. */
  async serve<Result>(work: () => Promise<Result>): Promise<Result> {
    const { before, leave } = this.#join();
    try {
      await before;
      return await work();
    } finally {
      leave();
    }
  }

  #join(): { readonly before: Promise<unknown>; readonly leave: () => void } {
    const before = this.#last;
    let leave = () => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => mine);
    return { before, leave };
  }
}
