/** Waiting that an abort ends at once, whatever the engine is doing; what was waited for is cleaned up when it comes. */
export async function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  interrupted: () => Error,
  cleanUp: (value: Value) => Promise<unknown> | undefined = () => undefined,
): Promise<Value> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(interrupted());
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (thrown) {
    if (signal.aborted) work.then(cleanUp).catch(() => {});
    throw signal.aborted ? interrupted() : thrown;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** One at a time, in the order of asking; whoever waits can give up. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with what the caller calls when it is done. */
  async enter(signal: AbortSignal, interrupted: () => Error): Promise<() => void> {
    const before = this.#last;
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => left);
    try {
      await untilAborted(before, signal, interrupted);
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
