/** Cancellation: scopes that end with their parent, by a deadline or when they are told to, and waits that end with them. */
import type { Clock } from "./clock.ts";
import type { ChatError } from "./errors.ts";

/** What work can be stopped by: a signal, or a scope within one. */
export type Stop = AbortSignal | Scope;

/** A deadline; times in milliseconds. */
export interface Deadline {
  readonly ms: number;
  readonly clock: Clock;
  readonly error: () => ChatError;
}

/**
 * A part of some work, aborted once, by the first that says so. Listeners are called by the scope itself, and an
 * AbortSignal is made for whoever asks for one: a signal and each listener on it cost more than the rest of a scope.
 */
export class Scope {
  /** To be read only, as its reason. */
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] = [];
  #controller: AbortController | null = null;
  #leave: (() => void) | undefined;
  #cancel: (() => void) | undefined;

  /** It aborts with its parent's reason, or with `deadline.error()` after `deadline.ms`. */
  constructor(parent?: Stop, deadline?: Deadline) {
    if (parent?.aborted) {
      this.abort(parent.reason);
      return;
    }
    this.#leave = parent && onAbort(parent, () => this.abort(parent.reason));
    this.#cancel = deadline?.clock.after(deadline.ms, () => this.abort(deadline.error()));
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.release();
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
  }

  /** The returned function takes the listener back. */
  onAbort(listener: () => void): () => void {
    this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    };
  }

  /** Parent and deadline no longer abort it. */
  release(): void {
    this.#leave?.();
    this.#cancel?.();
  }
}

function onAbort(stop: Stop, listener: () => void): () => void {
  if ("onAbort" in stop) return stop.onAbort(listener);
  stop.addEventListener("abort", listener);
  return () => stop.removeEventListener("abort", listener);
}

/** The promise's outcome, or the reason as soon as it aborts; a value that comes later goes to `discard`. */
export function untilAborted<T>(promise: Promise<T>, stop: Stop, discard: (late: T) => unknown = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(stop.reason);
      promise.then(discard).catch(() => {});
    };
    if (stop.aborted) return abort();
    promise.then(resolve, reject).finally(onAbort(stop, abort));
  });
}
