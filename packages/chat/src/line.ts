/** Who waits for whom: a line where one is served at a time, first come first served, and one may leave at any time. */
import { untilAborted } from "./abort.ts";

export class Line {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits until all before have left; the returned function leaves. Rejects with the signal's reason, out of the line. */
  async enter(signal: AbortSignal): Promise<() => void> {
    const before = this.#last;
    let leave = () => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => mine);
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
    const leave = await this.enter(new AbortController().signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
