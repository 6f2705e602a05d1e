/** Cancellation: signals that also end by a deadline, and waits that end with a signal whatever they wait for. */
import type { Clock } from "./clock.ts";
import type { ChatError } from "./errors.ts";

/** A signal with an end: disposing of it takes back its listener and its timer. */
export interface Scope extends Disposable {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** A signal that aborts with its parent's reason, or with `deadline.error()` after `deadline.ms`. */
export function childScope(
  parent: AbortSignal,
  deadline?: { readonly ms: number; readonly clock: Clock; readonly error: () => ChatError },
): Scope {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const cancel = deadline?.clock.after(deadline.ms, () => controller.abort(deadline.error()));
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]() {
      parent.removeEventListener("abort", follow);
      cancel?.();
    },
  };
}

/** The promise's outcome, or the signal's reason as soon as it aborts; a value that comes later goes to `discard`. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  discard: (late: T) => unknown = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason);
      promise.then(discard).catch(() => {});
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/**
 * Reads an iterable, opened at the first `next`, whose `next` may never settle. After an abort `next` rejects with the
 * signal's reason at once; one listener serves the whole iteration, so that a delta costs no registration.
 */
export function abortableReader<T>(
  open: () => AsyncIterable<T>,
  signal: AbortSignal,
): Disposable & { next(): Promise<IteratorResult<T>> } {
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
    [Symbol.dispose]() {
      signal.removeEventListener("abort", onAbort);
      // Not awaited: a generator that hangs in its own await would hang here too.
      if (!ended) Promise.resolve(iterator?.return?.()).catch(() => {});
    },
  };
}
