/**
 * Reads an iterable, opened at the first `next`, whose `next` may never settle. After an abort `next` rejects with the
 * signal's reason at once; one listener serves the whole iteration, so that a delta costs no registration.
 */
export function abortableReader<T>(
  open: () => AsyncIterable<T>,
  signal: AbortSignal,
): { next(): Promise<IteratorResult<T>>; leave(): void } {
  let iterator: AsyncIterator<T> | null = null;
  let resolvePending: (result: IteratorResult<T>) => void = () => {};
  let rejectPending: (reason: unknown) => void = () => {};
  let ended = false;
  const onAbort = () => rejectPending(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  // Made once: a delta costs one promise and no closure but the promise's own.
  const onResult = (result: IteratorResult<T>) => {
    if (result.done) ended = true;
    resolvePending(result);
  };
  const onFailure = (thrown: unknown) => {
    ended = true;
    rejectPending(signal.aborted ? signal.reason : thrown);
  };
  const take = (resolve: (result: IteratorResult<T>) => void, reject: (reason: unknown) => void) => {
    resolvePending = resolve;
    rejectPending = reject;
  };
  return {
    next() {
      if (signal.aborted) return Promise.reject(signal.reason);
      const pending = new Promise<IteratorResult<T>>(take);
      iterator ??= open()[Symbol.asyncIterator]();
      iterator.next().then(onResult, onFailure);
      return pending;
    },
    leave() {
      signal.removeEventListener("abort", onAbort);
      // Not awaited: a generator that hangs in its own await would hang here too.
      if (!ended) Promise.resolve(iterator?.return?.()).catch(() => {});
    },
  };
}
