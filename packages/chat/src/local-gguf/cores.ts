/**
 * How many threads are good. The engine's threads wait for each other by spinning after every step, so one more than
 * there are free cores is worse than one less: on two cores, beside one busy program, two threads took three times as
 * long as one, and beside two busy programs nine times as long, and five seconds to the first token.
 */
import { availableParallelism, cpus } from "node:os";
import process from "node:process";

/** Starts watching; each call of the result says how many cores nobody else has used since the call before. */
export function watchCores(): () => number {
  let before = sample();
  return () => {
    const after = sample();
    const elapsed = after.at - before.at;
    const free = elapsed > 0 ? (after.idle - before.idle + after.own - before.own) / elapsed : after.cores;
    before = after;
    return free;
  };
}

/** As many as the engine can use and the process may use. */
export function mostThreads(mathCores: number): number {
  return Math.max(1, Math.min(mathCores, availableParallelism()));
}

export function threadsFor(freeCores: number, most: number): number {
  return Math.min(most, Math.max(1, Math.round(freeCores)));
}

/** Long against the system's ticks of 10 ms, short against a person's patience. */
const everyMs = 200;

/** Until the result is called, sets the number of threads again and again to what other programs leave. */
export function followFreeCores(most: number, setThreads: (threads: number) => void): () => void {
  if (most === 1) return () => {};
  const freeCores = watchCores();
  const timer = setInterval(() => setThreads(threadsFor(freeCores(), most)), everyMs);
  return () => clearInterval(timer);
}

/** In milliseconds. */
function sample(): { at: number; idle: number; own: number; cores: number } {
  const cores = cpus();
  const { user, system } = process.cpuUsage();
  const idle = cores.reduce((sum, core) => sum + core.times.idle, 0);
  return { at: performance.now(), idle, own: (user + system) / 1000, cores: cores.length };
}
