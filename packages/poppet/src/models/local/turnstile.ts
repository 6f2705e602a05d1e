/** One at a time, in the order of asking; whoever waits can give up. */
import { untilAborted } from "@poppet/chat";

export class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with what the caller calls when it is done. */
  async enter(signal: AbortSignal): Promise<() => void> {
    const before = this.#last;
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => left);
    try {
      await untilAborted(before, signal);
    } catch (thrown) {
      leave();
      throw thrown;
    }
    return leave;
  }

  /** When nobody is inside any more. */
  idle(): Promise<void> {
    return this.#last;
  }
}
