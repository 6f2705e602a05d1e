import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { followFreeCores, mostThreads, threadsFor, watchCores } from "./cores.ts";

test("P1 the engine gets as many threads as there are cores that nobody else uses, and always one", () => {
  expect(mostThreads(1_000)).toBe(availableParallelism());
  expect(mostThreads(1)).toBe(1);
  expect(threadsFor(3.4, 8)).toBe(3);
  expect(threadsFor(9, 8)).toBe(8);
  expect(threadsFor(0.2, 8)).toBe(1);
});

test("P1 a core that this process itself keeps busy counts as free", () => {
  const free = watchCores();
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect(free()).toBeGreaterThan(0);
});

test("P1 the number of threads follows the free cores", async () => {
  let stop = () => {};
  const threads = await new Promise<number>((resolve) => {
    stop = followFreeCores(2, resolve);
  });
  stop();
  expect([1, 2]).toContain(threads);
});
