/** C12 through the assistant and its store: what is saved at, below and above each limit, and that settings move it. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { defineTool, type Message, utf8Length } from "@poppet/chat";
import { call, finish, handClock, type ScriptedStep, say, scriptedModel } from "@poppet/chat/testing";
import * as v from "valibot";
import { defaultLimits, type Limits } from "../src/settings.ts";
import { openStore } from "../src/store/sqlite.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

const modelOf = (steps: readonly ScriptedStep[]) => scriptedModel(steps, { provider: "openai", modelId: "test-model" });
const limited = (changes: Partial<Limits>) => ({ limits: { ...defaultLimits, ...changes } });

const echo = defineTool({
  ...{ name: "echo", description: "", input: v.object({ n: v.number() }), inputJsonSchema: {} },
  run: async (input) => input.n,
});

/** Text of exactly that many bytes that ends in an emoji. */
const filled = (bytes: number) =>
  `${"é".repeat(Math.floor((bytes - 8) / 2))}${bytes % 2 ? "x" : ""}${"👩‍🚀".slice(0, 2)}😀`;

function rows(home: string, sql: string): unknown[] {
  using db = new Database(`${home}/poppet.db`, { readonly: true });
  return db.query(sql).all();
}

/** A message answered by a script, the failing one after a good one; then one more, to see that the session lives. */
async function inSession(steps: readonly ScriptedStep[], settings: Parameters<typeof testAssistant>[0]["settings"]) {
  using folder = temporaryFolder();
  const model = modelOf(["before", ...steps, "after"]);
  const options = { home: folder.path, model, tools: [echo], contextWindow: 10_000_000 };
  const assistant = await testAssistant({ ...options, ...(settings && { settings }) });
  const { sessionId } = await ask(assistant, "one");
  const { outcome } = await ask(assistant, "two", { session: sessionId });
  const shown = await assistant.show(sessionId);
  const entries = rows(folder.path, "select count(*) as n from entry") as { n: number }[];
  const found = await assistant.search("two");
  await ask(assistant, "three", { session: sessionId });
  const next = model.requests.at(-1)?.messages ?? [];
  await assistant.close();
  return { outcome, run: shown.runs[1], messages: shown.messages, entries: entries[0]?.n, found, next };
}

/** What must hold of a run that passed a limit: its input is there, and nothing of it in the conversation. */
function expectRefused(played: Awaited<ReturnType<typeof inSession>>, code: string): void {
  expect(played.outcome).toMatchObject({ state: "failed", error: { code } });
  expect(played.run).toMatchObject({ state: "failed", error: { code }, output: null });
  expect(played.messages.map((message) => message.text)).toEqual(["one", "before", "two"]);
  expect(played.entries).toBe(2);
  expect(played.found.matches).toEqual([]);
  expect(played.next.map((message) => ("text" in message ? message.text : ""))).toEqual(["one", "before", "three"]);
}

describe("C12 the answer", () => {
  test.each([defaultLimits.answerBytes, 1_001, 50])(
    "of %d bytes at most: one below, at and one above",
    async (limit) => {
      for (const bytes of [limit - 1, limit]) {
        const answer = filled(bytes);
        expect(utf8Length(answer)).toBe(bytes);
        const { outcome, run, next } = await inSession([answer], limited({ answerBytes: limit }));
        expect(outcome).toMatchObject({ state: "completed", text: answer });
        expect(run?.output).toBe(answer);
        expect(next[3]).toMatchObject({ role: "assistant", text: answer });
      }
      const over = await inSession([filled(limit + 1)], limited({ answerBytes: limit }));
      expectRefused(over, "answer_too_large");
      expect(over.run?.error?.message).toContain(`larger than ${limit} bytes`);
    },
  );

  test.each([defaultLimits.recordBytes, 5_000])("with continuation data of %d bytes", async (limit) => {
    const step = (bytes: number) => [say("ok"), finish("stop", null, "x".repeat(bytes - 2))];
    for (const bytes of [limit - 1, limit]) {
      const { outcome, next } = await inSession([step(bytes)], limited({ recordBytes: limit }));
      expect(outcome.state).toBe("completed");
      expect(next[3]).toMatchObject({ continuation: "x".repeat(bytes - 2) });
    }
    expectRefused(await inSession([step(limit + 1)], limited({ recordBytes: limit })), "record_too_large");
  });
});

describe("C12 steps and tool calls", () => {
  const asking = (count: number): ScriptedStep[] => [
    ...Array.from({ length: count }, (_, n) => [call("echo", { n }, `c${n}`), finish()]),
    "done",
  ];

  test.each([defaultLimits.steps, 1, 3])("%d requests", async (steps) => {
    const settings = limited({ steps });
    const { outcome, run } = await inSession(asking(steps - 1), settings);
    expect([outcome.state, run?.toolCalls.length]).toEqual(["completed", steps - 1]);
    expectRefused(await inSession(asking(steps).slice(0, -1), settings), "step_limit");
  });

  test.each([defaultLimits.toolCalls, 0, 2])("%d tool calls, and the one too many is not on record", async (limit) => {
    const settings = limited({ toolCalls: limit, steps: 100 });
    const { outcome, run } = await inSession(asking(limit), settings);
    expect([outcome.state, run?.toolCalls.length]).toEqual(["completed", limit]);
    const over = await inSession(asking(limit + 1).slice(0, -1), settings);
    expectRefused(over, "tool_call_limit");
    expect(over.run?.toolCalls.length).toBe(limit);
  });

  test("§1.9 tool results are shown to 200 code points, whole whatever stands at the cut", async () => {
    for (const character of ["x", "é", "😀", "👩‍🚀", "e\u0301"]) {
      const output = (n: number) => `${"y".repeat(n)}${character.repeat(50)}`;
      const big = defineTool({ ...echo, name: "big", run: async (input) => output((input as { n: number }).n) });
      using folder = temporaryFolder();
      const before = [194, 195, 196, 197, 198, 199, 200];
      const model = modelOf([[...before.map((n) => call("big", { n }, `c${n}`)), finish()], "done"]);
      const assistant = await testAssistant({ home: folder.path, model, tools: [big] });
      const { sessionId } = await ask(assistant, "go");
      const shown = (await assistant.show(sessionId)).runs[0]?.toolCalls.map((one) => one.result);
      expect(shown).toEqual(before.map((n) => [...JSON.stringify(output(n))].slice(0, 200).join("")));
      const told = model.requests[1]?.messages.at(-1);
      expect(told?.role === "tool" && told.results.map((one) => one.output)).toEqual(before.map(output));
      await assistant.close();
    }
  });
});

describe("C12 C13 the context", () => {
  /** A session with so many exchanges of `bytes` each, made at once; what the next request has of them. */
  async function sent(exchanges: number, bytes: number, limits: Partial<Limits>) {
    using folder = temporaryFolder();
    const model = modelOf(["first", "last"]);
    const settings = limited(limits);
    const assistant = await testAssistant({ home: folder.path, model, settings, contextWindow: 100_000_000 });
    const { sessionId } = await ask(assistant, "zero");
    const store = await openStore(`${folder.path}/poppet.db`);
    const transcript = storedTranscript(store, sessionId, { newId: () => Bun.randomUUIDv7(), now: () => 1 });
    await transcript.commit({ expected: await transcript.tip(), parent: null, exchange: "", content: [] });
    for (let n = 0; n < exchanges; n++) {
      const tip = await transcript.tip();
      const content: Message[] = [{ role: "user", text: `q${n}`.padEnd(bytes - 2) }, answered("ok")];
      await transcript.commit({ expected: tip, parent: tip, exchange: `e${n}`, content });
    }
    store.close();
    const { outcome } = await ask(assistant, "now", { session: sessionId });
    const messages = model.requests[1]?.messages ?? [];
    await assistant.close();
    const first = messages[0];
    return { outcome, count: (messages.length - 1) / 2, first: first && "text" in first ? first.text.trim() : "" };
  }

  const answered = (text: string): Message => ({
    ...{ role: "assistant", text, reasoning: "", toolCalls: [], provider: "p", model: "m" },
    ...{ continuation: null, measured: null },
  });

  test.each([defaultLimits.contextExchanges, 3, 1, 0])("%d exchanges, the newest", async (contextExchanges) => {
    const limits = { contextExchanges };
    expect((await sent(contextExchanges, 10, limits)).count).toBe(contextExchanges);
    const over = await sent(contextExchanges + 1, 10, limits);
    expect(over.count).toBe(contextExchanges);
    expect(over.first).toBe(contextExchanges === 0 ? "now" : "q1");
  });

  test.each([defaultLimits.contextBytes, 1_000_000])(
    "%d bytes, instructions and the message counted",
    async (limit) => {
      const own = await overhead();
      const each = (limit - own - 3) / 4;
      expect((await sent(4, Math.floor(each), { contextBytes: limit })).count).toBe(4);
      expect((await sent(4, Math.floor(each) + 1, { contextBytes: limit })).count).toBe(3);
    },
  );

  test("a message that fits to the byte is answered, one byte more fails by one byte and stays visible", async () => {
    const limit = (await overhead()) + 100;
    const settings = limited({ contextBytes: limit });
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, settings });
    expect((await ask(assistant, filled(100))).outcome.state).toBe("completed");
    const over = await ask(assistant, filled(101));
    expect(over.outcome).toMatchObject({ state: "failed", error: { message: expect.stringContaining("by 1 bytes") } });
    expect((await assistant.show(over.sessionId)).messages[0]?.text).toBe(filled(101));
    await assistant.close();
  });

  /** The bytes of the instructions. */
  async function overhead(): Promise<number> {
    using folder = temporaryFolder();
    const model = modelOf(["ok"]);
    const assistant = await testAssistant({ home: folder.path, model });
    await ask(assistant, "x");
    await assistant.close();
    return utf8Length(model.requests[0]?.system ?? "");
  }
});

describe("C12 §8.7 time", () => {
  test.each([
    [{}, 59_999, "completed", 60_000, "request_deadline"],
    [{ requestMs: 10 }, 9, "completed", 10, "request_deadline"],
    [{ requestMs: 900_000 }, 299_999, "completed", 300_000, "turn_deadline"],
    [{ requestMs: 900_000, runMs: 20 }, 19, "completed", 20, "turn_deadline"],
  ] as const)("%j: after %d ms %s, after %d ms %s", async (changes, below, _, at, code) => {
    for (const [ms, expected] of [
      [below, null],
      [at, code],
    ] as const) {
      using folder = temporaryFolder();
      const clock = handClock(1_000_000);
      const model = modelOf([() => [say("a"), finish()]]);
      const assistant = await testAssistant({ home: folder.path, model, settings: limited(changes), clock });
      const { outcome, sessionId } = await ask(assistant, "hi", {
        onEvent: (event) => event.type === "text" && clock.advance(ms),
      });
      expect("error" in outcome ? [outcome.state, outcome.error.code] : null).toEqual(expected && ["failed", expected]);
      expect((await assistant.show(sessionId)).runs[0]?.error?.code ?? null).toBe(expected);
      expect(clock.waiting).toBe(0);
      await assistant.close();
    }
  });

  test("a run's time counts from its start: a model that does not open ends it, one that opens late has the rest", async () => {
    using folder = temporaryFolder();
    const clock = handClock(1_000_000);
    const stuck = await testAssistant({
      ...{ home: folder.path, clock },
      opening() {
        queueMicrotask(() => clock.advance(defaultLimits.runMs));
        return new Promise(() => {});
      },
    });
    expect((await ask(stuck, "hi")).outcome).toMatchObject({ state: "failed", error: { code: "turn_deadline" } });
    await stuck.close();
    const late = await testAssistant({
      ...{ home: folder.path, clock },
      opening: async () => clock.advance(defaultLimits.runMs - 5),
    });
    const { outcome } = await ask(late, "hi", { onEvent: (event) => event.type === "text" && clock.advance(5) });
    expect(outcome).toMatchObject({ state: "failed", error: { code: "turn_deadline" } });
    expect(clock.waiting).toBe(0);
    await late.close();
  });
});
