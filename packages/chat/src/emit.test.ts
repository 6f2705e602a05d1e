import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Emit, generated } from "./emit.ts";

type Read = AsyncGenerator<number, string, void>;

/** What both do: tell each number and go on, or not, where `throw` is called; `log` is what they saw. */
interface Plan {
  readonly events: number;
  readonly ends: "returns" | "throws";
  readonly onThrow: "pass" | "swallow";
}

async function work({ events, ends, onThrow }: Plan, log: string[], emit: Emit<number>): Promise<string> {
  for (let n = 0; n < events; n++) {
    try {
      await emit(n);
      log.push(`went on after ${n}`);
    } catch (thrown) {
      log.push(`caught at ${n}`);
      if (onThrow === "pass" || !isThrown(thrown)) throw thrown;
    }
  }
  if (ends === "throws") throw new Error("failed");
  return "result";
}

async function* language({ events, ends, onThrow }: Plan, log: string[]): Read {
  for (let n = 0; n < events; n++) {
    try {
      yield n;
      log.push(`went on after ${n}`);
    } catch (thrown) {
      log.push(`caught at ${n}`);
      if (onThrow === "pass") throw thrown;
    }
  }
  if (ends === "throws") throw new Error("failed");
  return "result";
}

function isThrown(thrown: unknown): boolean {
  return (thrown as Error).message === "thrown";
}

const calls = fc.array(
  fc.record({ call: fc.constantFrom("next", "next", "next", "return", "throw"), wait: fc.nat({ max: 12 }) }),
  { maxLength: 8 },
);
const plans = fc.record({
  events: fc.nat({ max: 4 }),
  ends: fc.constantFrom("returns", "throws"),
  onThrow: fc.constantFrom("pass", "swallow"),
});

async function play(read: Read, steps: readonly { readonly call: string; readonly wait: number }[]) {
  const answers: Promise<unknown>[] = [];
  for (const { call, wait } of steps) {
    const answer =
      call === "next" ? read.next() : call === "return" ? read.return("given") : read.throw(new Error("thrown"));
    answers.push(answer.catch((thrown: Error) => thrown.message));
    for (let tick = 0; tick < wait; tick++) await null;
  }
  return Promise.all(answers);
}

describe("L6 the events of a piece of work", () => {
  test("law: they are read as a generator's, whatever is called, and without waiting for the call before", async () => {
    await fc.assert(
      fc.asyncProperty(plans, calls, async (plan, steps) => {
        const [own, others] = [[] as string[], [] as string[]];
        const answers = await play(
          generated((emit) => work(plan, own, emit)),
          steps,
        );
        expect(answers).toEqual(await play(language(plan, others), steps));
        // A generator that is left is not told: here the work hears of it, as it may have more to stop than itself.
        if (!steps.some(({ call }) => call === "return")) expect(own).toEqual(others);
      }),
      { numRuns: 2_000 },
    );
  });

  test("it begins with the first read, and waits after each event until it is read on", async () => {
    const log: string[] = [];
    const read = generated(async (emit: Emit<number>) => {
      log.push("begun");
      await emit(1);
      log.push("read on");
    });
    await Bun.sleep(0);
    expect(log).toEqual([]);
    expect(await read.next()).toEqual({ done: false, value: 1 });
    await Bun.sleep(0);
    expect(log).toEqual(["begun"]);
    expect(await read.next()).toEqual({ done: true, value: undefined });
    expect(log).toEqual(["begun", "read on"]);
  });

  test("left, its emit rejects, also the next time, and the leaving waits for its end", async () => {
    const log: string[] = [];
    const read = generated(async (emit: Emit<number>) => {
      for (const n of [1, 2]) await Promise.resolve(emit(n)).catch(() => log.push(`left at ${n}`));
      await Bun.sleep(1);
      log.push("ended");
    });
    for await (const _ of read) break;
    expect(log).toEqual(["left at 1", "left at 2", "ended"]);
    expect(await read.next()).toEqual({ done: true, value: undefined });
  });

  test("what it tells after its end is not heard", async () => {
    let late: Emit<number> = () => {};
    const read = generated(async (emit: Emit<number>) => {
      late = emit;
      await emit(1);
    });
    await read.next();
    await read.next();
    expect(late(2)).rejects.toThrow("not read to its end");
    expect(await read.next()).toEqual({ done: true, value: undefined });
  });

  test("what it throws after it was left is thrown to who left it", async () => {
    const read = generated(async (emit: Emit<number>) => {
      try {
        await emit(1);
      } finally {
        await Promise.reject(new Error("the store is gone"));
      }
    });
    await read.next();
    expect(read.return(undefined)).rejects.toThrow("the store is gone");
  });

  test("an end that comes while nobody reads is told to the next reader, once", async () => {
    const stopped = Promise.withResolvers<never>();
    const read = generated((emit: Emit<number>) => Promise.race([emit(1), stopped.promise]));
    await read.next();
    stopped.reject(new Error("stopped"));
    await Bun.sleep(0);
    expect(read.next()).rejects.toThrow("stopped");
    expect(await read.next()).toEqual({ done: true, value: undefined });
  });
});
