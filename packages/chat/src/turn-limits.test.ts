/** The limits of a turn at their defaults: one below, at, and one above, with characters of every width on the edge. */
import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { emptyContext } from "./context.ts";
import type { ModelEvent } from "./model.ts";
import { call, finish, handClock, type ScriptedStep, say, scriptedModel, think } from "./testing/index.ts";
import { utf8Length } from "./text.ts";
import { defineTool } from "./tools.ts";
import { type TurnOptions, turn } from "./turn.ts";
import type { TurnEvent, TurnResult } from "./turn-events.ts";

const limits = {
  answerBytes: 131_072,
  recordBytes: 1_048_576,
  turnMs: 300_000,
  requestMs: 60_000,
  steps: 20,
  toolCalls: 40,
};
const budget = { exchanges: 400, bytes: 2_097_152, tokens: 1_000_000 };
const echo = defineTool({
  name: "echo",
  description: "",
  input: v.object({ n: v.number() }),
  inputJsonSchema: {},
  run: async () => null,
});

async function play(script: readonly ScriptedStep[], changes: Partial<TurnOptions> = {}) {
  const model = scriptedModel(script);
  const running = turn({
    ...{ model, system: "", context: emptyContext, input: { role: "user", text: "hi" }, tools: [echo], limits, budget },
    ...{ signal: new AbortController().signal, ...changes },
  });
  const events: TurnEvent[] = [];
  for (;;) {
    const next = await running.next();
    if (next.done) return { events, result: next.value, model };
    events.push(next.value);
  }
}

function ending(result: TurnResult): string {
  return result.state === "completed" ? "completed" : result.error.code;
}

const characters = ["x", "é", "漢", "😀", "e\u0301", "👩‍🚀"];

/** Text of exactly that many bytes whose last character is the one given. */
function filled(bytes: number, last: string): string {
  return "x".repeat(bytes - utf8Length(last)) + last;
}

describe("C12 the answer's 128 KiB", () => {
  test.each(characters)("one below and at the limit pass, one above fails, with %j on the edge", async (last) => {
    for (const [over, expected] of [
      [-1, "completed"],
      [0, "completed"],
      [1, "answer_too_large"],
    ] as const) {
      const answer = filled(limits.answerBytes + over, last);
      const { result } = await play([answer]);
      expect(ending(result)).toBe(expected);
      if (result.state === "completed") expect(result.text).toBe(answer);
      else expect(result.error.details).toEqual({ limit: limits.answerBytes, actual: limits.answerBytes + 1 });
    }
  });

  test("it is counted over deltas, also where one splits a character", async () => {
    const deltas = (text: string) => [...text.split("").map(say), finish()];
    const answer = `${"x".repeat(96)}😀`;
    const small = { ...limits, answerBytes: 100 };
    const at = await play([deltas(answer)], { limits: small });
    expect(at.result).toMatchObject({ state: "completed", text: answer });
    const over = await play([deltas(`x${answer}`)], { limits: small });
    expect(over.result).toMatchObject({ error: { code: "answer_too_large", details: { limit: 100, actual: 101 } } });
    for (const event of over.events) if (event.type === "text") expect(event.delta.isWellFormed()).toBe(true);
  });

  test("half a character at the very end counts as what it is saved as, and is reported like the rest", async () => {
    const script = [[say("x".repeat(97)), say("\ud83d"), finish()]];
    const { result, events } = await play(script, { limits: { ...limits, answerBytes: 100 } });
    expect(result).toMatchObject({ state: "completed", text: `${"x".repeat(97)}\ufffd` });
    expect(events.flatMap((event) => (event.type === "text" ? [event.delta] : [])).at(-1)).toBe("\ufffd");
    const over = await play(script, { limits: { ...limits, answerBytes: 99 } });
    expect(ending(over.result)).toBe("answer_too_large");
  });

  test("each step has its own: intermediate text does not use up the answer's", async () => {
    const full = "x".repeat(limits.answerBytes);
    const { result } = await play([[say(full), call("echo", { n: 1 }), finish()], full]);
    expect(ending(result)).toBe("completed");
  });

  test("an answer that goes on for ever is stopped at the limit, not read to its end", async () => {
    let sent = 0;
    const endless = {
      ...scriptedModel([]),
      async *stream(): AsyncGenerator<ModelEvent> {
        for (; sent < 1_000_000; sent++) yield say("x".repeat(1024));
      },
    };
    expect(ending((await play([], { model: endless })).result)).toBe("answer_too_large");
    expect(sent).toBe(128);
  });
});

describe("C12 the record's 1 MiB", () => {
  const withRecord = (bytes: number): ScriptedStep => [say("ok"), finish("stop", null, "é".repeat((bytes - 2) / 2))];

  test("one below, at and above, continuation data included", async () => {
    const odd = (bytes: number): ScriptedStep => [say("ok"), finish("stop", null, `x${"é".repeat((bytes - 3) / 2)}`)];
    expect(ending((await play([odd(limits.recordBytes - 1)])).result)).toBe("completed");
    expect(ending((await play([withRecord(limits.recordBytes)])).result)).toBe("completed");
    const over = await play([odd(limits.recordBytes + 1)]);
    expect(over.result).toMatchObject({
      error: { code: "record_too_large", details: { limit: limits.recordBytes, actual: limits.recordBytes + 1 } },
    });
  });

  test("it is the whole turn's, and the failure names the whole limit", async () => {
    const half = limits.recordBytes / 2;
    const first = [say("ok"), call("echo", { n: 1 }), finish("stop", null, "x".repeat(half - 2))];
    expect(ending((await play([first, withRecord(half)])).result)).toBe("completed");
    const over = await play([first, withRecord(half + 2)]);
    const streamed = await play([first, [think("x".repeat(half + 1)), say("ok"), finish()]]);
    for (const { result } of [over, streamed]) {
      expect(result).toMatchObject({ error: { code: "record_too_large", details: { limit: limits.recordBytes } } });
      expect(result.state !== "completed" && result.error.message).toContain(`larger than ${limits.recordBytes} bytes`);
    }
  });

  test("reasoning, arguments, names and IDs of tool calls count while they arrive", async () => {
    const flood = "x".repeat(65_536);
    const request = (change: Partial<Extract<ModelEvent, { type: "tool-call" }>>): ModelEvent => ({
      ...{ type: "tool-call", toolCallId: "a", toolName: "echo", input: "{}" },
      ...change,
    });
    const kinds = [
      think(flood),
      request({ input: flood }),
      request({ toolName: flood }),
      request({ toolCallId: flood }),
    ];
    for (const event of kinds) {
      let sent = 0;
      const endless = {
        ...scriptedModel([]),
        async *stream(): AsyncGenerator<ModelEvent> {
          for (; sent < 10_000; sent++) yield event;
        },
      };
      expect(ending((await play([], { model: endless })).result)).toBe("record_too_large");
      expect(sent).toBeLessThanOrEqual(16);
    }
  });
});

describe("C12 steps, tool calls and time at their defaults", () => {
  const asking = (count: number, each = 1): ScriptedStep[] => [
    ...Array.from({ length: count }, (_, n) => [
      ...Array.from({ length: each }, (_, m) => call("echo", { n }, `${n}.${m}`)),
      finish(),
    ]),
    "done",
  ];

  test("20 requests pass, a 21st is not made", async () => {
    for (const asked of [18, 19]) {
      const { result, model } = await play(asking(asked));
      expect([ending(result), model.requests.length]).toEqual(["completed", asked + 1]);
    }
    const over = await play(asking(20));
    expect([ending(over.result), over.model.requests.length]).toEqual(["step_limit", 20]);
  });

  test("40 tool calls pass, and of a batch with the 41st none is run", async () => {
    for (const each of [3, 4]) expect(ending((await play(asking(10, each))).result)).toBe("completed");
    const over = await play([...asking(10, 4).slice(0, 9), ...asking(1, 5)]);
    expect(over.result).toMatchObject({ error: { code: "tool_call_limit", details: { limit: 40, actual: 41 } } });
    expect(over.events.filter((event) => event.type === "tool-start")).toHaveLength(36);
  });

  test("a request's 60 seconds begin anew with each, a turn's 300 do not", async () => {
    const clock = handClock();
    const slow = (ms: number) => () => {
      clock.advance(ms);
      return [call("echo", { n: 1 }, String(clock.now())), finish()];
    };
    const five = Array.from({ length: 5 }, () => slow(59_999));
    const state = async (script: readonly ScriptedStep[]) => {
      const { result } = await play(script, { clock });
      expect(clock.waiting).toBe(0);
      return [result.state, ending(result)];
    };
    expect(await state([...five, "done"])).toEqual(["completed", "completed"]);
    expect(await state([slow(60_000)])).toEqual(["failed", "request_deadline"]);
    expect(await state([...five, slow(4), "done"])).toEqual(["completed", "completed"]);
    expect(await state([...five, slow(5)])).toEqual(["failed", "turn_deadline"]);
  });

  test("C13 the context's 2 MiB hold the message at the limit, and not one byte more", async () => {
    for (const last of characters) {
      const input = (bytes: number) => ({ role: "user" as const, text: filled(bytes, last) });
      expect(ending((await play(["ok"], { input: input(budget.bytes - 1), tools: [] })).result)).toBe("completed");
      expect(ending((await play(["ok"], { input: input(budget.bytes), tools: [] })).result)).toBe("completed");
      const over = await play(["ok"], { input: input(budget.bytes + 1), tools: [] });
      expect(over.result).toMatchObject({ error: { code: "context_overflow", details: { over: 1, unit: "bytes" } } });
    }
  });
});

describe("§7 halves of characters never reach a provider", () => {
  test("from the message, from steering, from tool arguments and from tool results", async () => {
    const tool = defineTool({
      name: "half",
      description: "",
      input: v.object({ text: v.string() }),
      inputJsonSchema: {},
      run: async () => ({ "key\ud83d": ["value\ude00", "\\ud83d stays", "😀"] }),
    });
    const failing = defineTool({
      ...{ name: "failing", description: "", input: v.object({}), inputJsonSchema: {} },
      run: async () => Promise.reject(new Error("half \ud83d")),
    });
    const steers = [["steered \ud83d"], []];
    const { model } = await play(
      [[call("half", { text: "x\ud83dy" }), call("failing", {}), finish("stop", null, ["own \ud83d"])], "ok"],
      { tools: [tool, failing], input: { role: "user", text: "a\ud83d" }, steer: async () => steers.shift() ?? [] },
    );
    expect(model.requests[1]?.messages).toMatchObject([
      { text: "a\ufffd" },
      { toolCalls: [{ input: { text: "x\ufffdy" } }, {}], continuation: ["own \ufffd"] },
      {
        results: [
          { output: { "key\ufffd": ["value\ufffd", "\\ud83d stays", "😀"] } },
          { output: { error: { message: "half \ufffd" } } },
        ],
      },
      { text: "steered \ufffd" },
    ]);
  });
});
