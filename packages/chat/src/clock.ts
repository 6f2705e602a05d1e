/** Time as a value, so that tests can move it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Calls `then` once after `ms`; the returned function takes that back. */
  after(ms: number, then: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    // Timers of more than 24 days go off at once.
    const timer = setTimeout(then, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
