/** A clock that only moves when told to. */
import type { Clock } from "../clock.ts";

/** Stands still between two `advance`. */
export interface HandClock extends Clock {
  /** Calls whatever is due by then, in the order of its time. */
  advance(ms: number): void;
  /** How many calls it still owes: none once all that asked for one has ended. */
  readonly waiting: number;
}

/** A clock at `start`, in Unix milliseconds. */
export function handClock(start = 0): HandClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  return {
    now: () => now,
    after(ms, then) {
      const timer = { at: now + ms, then };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.then();
      }
    },
    get waiting() {
      return timers.size;
    },
  };
}
