import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { emptyContext } from "./context.ts";
import { ChatError } from "./errors.ts";
import type { Json } from "./json.ts";
import {
  call,
  finish,
  handClock,
  type ScriptedItem,
  type ScriptedStep,
  say,
  scriptedModel,
  think,
} from "./testing/index.ts";
import { defineTool, type Tool } from "./tools.ts";
import { runTurn, type TurnOptions, turn } from "./turn.ts";
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

interface Played {
  readonly events: readonly TurnEvent[];
  readonly result: TurnResult;
  readonly model: ReturnType<typeof scriptedModel>;
}

async function play(
  script: readonly ScriptedStep[],
  options: Partial<TurnOptions> & { onEvent?: (event: TurnEvent) => void } = {},
): Promise<Played> {
  const model = scriptedModel(script);
  const running = turn({
    model,
    system: "Be brief.",
    context: emptyContext,
    input: { role: "user", text: "hello" },
    tools: [],
    limits,
    budget,
    signal: new AbortController().signal,
    ...options,
  });
  const events: TurnEvent[] = [];
  for (;;) {
    const next = await running.next();
    if (next.done) return { events, result: next.value, model };
    events.push(next.value);
    options.onEvent?.(next.value);
  }
}

function tool(name: string, run: Tool["run"], onFailure: Tool["onFailure"] = "tell-model"): Tool {
  return defineTool({
    name,
    description: name,
    input: v.object({ n: v.number() }),
    inputJsonSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    onFailure,
    run: run as (input: { n: number }, context: { toolCallId: string; signal: AbortSignal }) => Promise<Json>,
  });
}

const echo = tool("test.echo", async (input) => ({ got: input as Json }));

function codeOf(result: TurnResult): string {
  return result.state === "completed" ? "completed" : `${result.state}:${result.error.code}`;
}

describe("a turn that completes", () => {
  test("C1 text and reasoning arrive as events in order, and the exchange is the question and the answer", async () => {
    const { events, result } = await play([[think("hm"), say("Hel"), say("lo"), finish()]]);
    expect(events).toEqual([
      { type: "step-start", step: 1 },
      { type: "reasoning", step: 1, section: 0, delta: "hm" },
      { type: "text", step: 1, delta: "Hel" },
      { type: "text", step: 1, delta: "lo" },
      { type: "step-end", step: 1, final: true, usage: expect.objectContaining({ totalTokens: 15 }) },
    ]);
    expect(result).toMatchObject({
      state: "completed",
      text: "Hello",
      messages: [
        { role: "user", text: "hello" },
        { role: "assistant", text: "Hello", reasoning: "hm", measured: { tokens: 15 } },
      ],
    });
  });

  test("C14 tools run between steps, their results go back, and usage is the sum", async () => {
    const { result, model, events } = await play(
      [[say("Looking."), call("test.echo", { n: 1 }), finish("tool-calls")], "Found it."],
      { tools: [echo] },
    );
    expect(result).toMatchObject({
      state: "completed",
      text: "Found it.",
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", text: "Looking.", toolCalls: [{ toolName: "test.echo", input: { n: 1 } }] },
      { role: "tool", results: [{ state: "completed", output: { got: { n: 1 } } }] },
    ]);
    expect(events.map((event) => event.type)).toEqual([
      "step-start",
      "text",
      "step-end",
      "tool-start",
      "tool-end",
      "step-start",
      "text",
      "step-end",
    ]);
  });

  test("C14 usage is null if one step reports none, and a field is null if one step lacks it", async () => {
    const one = await play([[call("test.echo", { n: 1 }), finish("tool-calls", null)], "ok"], { tools: [echo] });
    expect(one.result.usage).toBeNull();
    const two = await play([[call("test.echo", { n: 1 }), finish("stop", { inputTokens: 3 })], "ok"], {
      tools: [echo],
    });
    expect(two.result.usage).toMatchObject({ inputTokens: 13, outputTokens: null });
  });

  test("C14 a model without tools is offered none and still answers", async () => {
    const model = scriptedModel(["plain"], { supportsTools: false });
    const { result } = await play([], { model, tools: [echo] });
    expect(codeOf(result)).toBe("completed");
    expect(model.requests[0]?.tools).toEqual([]);
  });

  test("§8.6 stop with calls runs them, tool-calls with none is a stop, other with text completes", async () => {
    const stop = await play([[call("test.echo", { n: 1 }), finish("stop")], "done"], { tools: [echo] });
    expect(stop.result).toMatchObject({ state: "completed", text: "done" });
    expect((await play([[say("x"), finish("tool-calls")]])).result.state).toBe("completed");
    expect((await play([[say("x"), finish("other")]])).result.state).toBe("completed");
  });

  test("§8.6 what cannot be used as an answer fails with its own code", async () => {
    const cases: [ScriptedStep, string][] = [
      [[say("x"), finish("length")], "answer_truncated"],
      [[say("x"), finish("content-filter")], "answer_filtered"],
      [[say("x"), finish("error")], "provider_server"],
      [[say("x"), finish("interrupted")], "answer_unfinished"],
      [[say("x")], "answer_unfinished"],
      [[], "answer_unfinished"],
      [[finish()], "answer_empty"],
      [[say(" \n"), finish()], "answer_empty"],
      [[say("x"), new ChatError("provider_auth", "no")], "provider_auth"],
      [[say("x"), new Error("odd")], "provider_server"],
    ];
    for (const [step, code] of cases) expect(codeOf((await play([step])).result)).toBe(`failed:${code}`);
  });

  test("S5 steering is taken between steps and once more before the turn ends", async () => {
    const waiting = [["first"], [], ["late"], []];
    const { result, model } = await play(
      [[call("test.echo", { n: 1 }), finish()], [call("test.echo", { n: 2 }, "b"), finish()], "one", "two"],
      { tools: [echo], steer: async () => waiting.shift() ?? [] },
    );
    expect(result).toMatchObject({ state: "completed", text: "two" });
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", text: "first" });
    expect(model.requests[3]?.messages.slice(-2)).toMatchObject([{ text: "one" }, { role: "user", text: "late" }]);
  });

  test("C1 an emoji split over two deltas arrives whole", async () => {
    const { events, result } = await play([[say("a\ud83d"), say("\ude00b"), finish()]]);
    expect(events.flatMap((event) => (event.type === "text" ? [event.delta] : []))).toEqual(["a", "😀b"]);
    expect(result).toMatchObject({ text: "a😀b" });
  });
});

describe("C14 a tool request is checked before it runs", () => {
  test("an unknown tool, broken JSON and arguments that do not fit are told to the model", async () => {
    let ran = 0;
    const counting = tool("test.count", async () => ++ran);
    const { result, model, events } = await play(
      [
        [
          call("no.such", { n: 1 }, "1"),
          { type: "tool-call", toolCallId: "2", toolName: "test.count", input: "{n:" },
          call("test.count", { n: "x" }, "3"),
          call("test.count", { n: 1 }, "4"),
          finish("tool-calls"),
        ],
        "ok",
      ],
      { tools: [counting] },
    );
    expect(codeOf(result)).toBe("completed");
    expect(ran).toBe(1);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [
        { toolCallId: "1", state: "rejected", output: { error: { code: "tool_unknown" } } },
        { toolCallId: "2", state: "rejected", output: { error: { code: "tool_input" } } },
        { toolCallId: "3", state: "rejected", output: { error: { code: "tool_input" } } },
        { toolCallId: "4", state: "completed" },
      ],
    });
    expect(events.filter((event) => event.type === "tool-start")).toHaveLength(1);
  });

  test("authorize sees the whole batch before any of it runs, and can refuse one", async () => {
    const order: string[] = [];
    const noting = tool("test.note", async (input) => {
      order.push(`run ${(input as { n: number }).n}`);
      return null;
    });
    const { model } = await play(
      [[call("test.note", { n: 1 }, "a"), call("test.note", { n: 2 }, "b"), finish()], "ok"],
      {
        tools: [noting],
        authorize: async (batch) => {
          order.push(`asked ${batch.length}`);
          return new Map([["b", "not now"]]);
        },
      },
    );
    expect(order).toEqual(["asked 2", "run 1"]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [
        { state: "completed" },
        { state: "rejected", output: { error: { code: "tool_refused", message: "not now" } } },
      ],
    });
  });

  test("independent calls run side by side", async () => {
    const gate = Promise.withResolvers<null>();
    let started = 0;
    const meeting = tool("test.meet", () => {
      if (++started === 2) gate.resolve(null);
      return gate.promise;
    });
    const { result } = await play(
      [[call("test.meet", { n: 1 }, "a"), call("test.meet", { n: 2 }, "b"), finish()], "ok"],
      { tools: [meeting] },
    );
    expect(codeOf(result)).toBe("completed");
  });

  test("a tool starts only after the reader has taken its tool-start", async () => {
    const order: string[] = [];
    const noting = tool("test.note", async () => order.push("run"));
    await play([[call("test.note", { n: 1 }), finish()], "ok"], {
      tools: [noting],
      onEvent: (event) => event.type === "tool-start" && order.push("start"),
    });
    expect(order).toEqual(["start", "run"]);
  });

  test("§8.9 a failing tool is told to the model, or fails the turn, as the tool says", async () => {
    const fail = async () => Promise.reject(new Error("disk on fire"));
    const told = await play([[call("t", { n: 1 }), finish()], "ok"], { tools: [tool("t", fail)] });
    expect(codeOf(told.result)).toBe("completed");
    expect(told.model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ state: "failed", output: { error: { message: "disk on fire" } } }],
    });
    const fatal = await play([[call("t", { n: 1 }), finish()], "ok"], { tools: [tool("t", fail, "fail-turn")] });
    expect(fatal.result).toMatchObject({ state: "failed", error: { code: "tool_failed" } });
    expect(fatal.events.at(-1)).toMatchObject({ type: "tool-end", result: { state: "failed" } });
  });

  test("a tool that returns no JSON value has failed", async () => {
    const { model } = await play([[call("t", { n: 1 }), finish()], "ok"], {
      tools: [tool("t", async () => undefined as unknown as Json)],
    });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ state: "failed" }] });
  });

  test("call IDs that are empty or used twice are made distinct, and their continuation is dropped", async () => {
    const { result } = await play(
      [[call("test.echo", { n: 1 }, ""), call("test.echo", { n: 2 }, ""), finish("stop", null, { own: true })], "ok"],
      { tools: [echo] },
    );
    const [, asked, answered] = result.state === "completed" ? result.messages : [];
    const ids = asked?.role === "assistant" ? asked.toolCalls.map((one) => one.toolCallId) : [];
    expect(new Set(ids).size).toBe(2);
    expect(asked).toMatchObject({ continuation: null });
    expect(answered?.role === "tool" && answered.results.map((one) => one.toolCallId)).toEqual(ids);
  });
});

describe("C12 limits are inclusive", () => {
  const asking = (count: number): ScriptedStep[] => [
    ...Array.from({ length: count }, (_, n) => [call("test.echo", { n }, `c${n}`), finish()]),
    "done",
  ];

  test("the answer's bytes", async () => {
    const answer = "é".repeat(10);
    expect(codeOf((await play([answer], { limits: { ...limits, answerBytes: 20 } })).result)).toBe("completed");
    const over = await play([answer], { limits: { ...limits, answerBytes: 19 } });
    expect(over.result).toMatchObject({ error: { code: "answer_too_large", details: { limit: 19, actual: 20 } } });
  });

  test("the record's bytes, continuation data included", async () => {
    const step = [say("ok"), finish("stop", null, "x".repeat(98))];
    expect(codeOf((await play([step], { limits: { ...limits, recordBytes: 100 } })).result)).toBe("completed");
    expect(codeOf((await play([step], { limits: { ...limits, recordBytes: 99 } })).result)).toBe(
      "failed:record_too_large",
    );
  });

  test("the record's bytes, arguments counted while they come and once only", async () => {
    const input = `{"n":${" ".repeat(1_000)}1}`;
    const pieces = [input.slice(0, 600), input.slice(600)].map((delta) => ({ type: "tool-input", delta }) as const);
    const whole = { type: "tool-call", toolCallId: "c", toolName: "test.echo", input } as const;
    const code = async (recordBytes: number, ...step: readonly ScriptedItem[]) =>
      codeOf((await play([step, "ok"], { tools: [echo], limits: { ...limits, recordBytes } })).result);
    const bytes = input.length + whole.toolName.length + whole.toolCallId.length;
    expect(await code(bytes, ...pieces, whole, finish())).toBe("completed");
    expect(await code(bytes, whole, finish())).toBe("completed");
    expect(await code(input.length - 1, ...pieces, "hang")).toBe("failed:record_too_large");
    expect(await code(bytes - 1, whole, finish())).toBe("failed:record_too_large");
  });

  test("the record's bytes of a later step, by the limit of the whole turn", async () => {
    const second = [say("x".repeat(1_500)), "hang"] as const;
    const { result } = await play([[call("test.echo", { n: 1 }), finish()], second], {
      tools: [echo],
      limits: { ...limits, recordBytes: 1_500 },
    });
    expect(result.state === "failed" && result.error).toMatchObject({
      code: "record_too_large",
      details: { limit: 1_500 },
    });
  });

  test("steps", async () => {
    expect(codeOf((await play(asking(4), { tools: [echo], limits: { ...limits, steps: 5 } })).result)).toBe(
      "completed",
    );
    const over = await play(asking(5), { tools: [echo], limits: { ...limits, steps: 5 } });
    expect(codeOf(over.result)).toBe("failed:step_limit");
    expect(over.model.requests).toHaveLength(5);
  });

  test("tool calls, refused ones counted", async () => {
    expect(codeOf((await play(asking(4), { tools: [echo], limits: { ...limits, toolCalls: 4 } })).result)).toBe(
      "completed",
    );
    expect(codeOf((await play(asking(5), { limits: { ...limits, toolCalls: 4 } })).result)).toBe(
      "failed:tool_call_limit",
    );
  });

  test("C12 §8.7 the request's and the turn's deadlines, the second over tools too", async () => {
    const clock = handClock();
    const request = play([[say("x"), "hang"]], {
      clock,
      onEvent: (event) => event.type === "text" && clock.advance(limits.requestMs),
    });
    expect(codeOf((await request).result)).toBe("failed:request_deadline");
    const slow = tool(
      "t",
      (_, { signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason))),
    );
    const whole = play([[call("t", { n: 1 }), finish()], "ok"], {
      clock,
      tools: [slow],
      onEvent: (event) => event.type === "tool-start" && queueMicrotask(() => clock.advance(limits.turnMs)),
    });
    expect(codeOf((await whole).result)).toBe("failed:turn_deadline");
  });

  test("C13 a message that does not fit fails by how much, and no request is made", async () => {
    const { result, model } = await play(["x"], { budget: { ...budget, bytes: 13 } });
    expect(result).toMatchObject({
      state: "failed",
      error: { code: "context_overflow", details: { over: 1, unit: "bytes" } },
    });
    expect(model.requests).toHaveLength(0);
  });
});

describe("C11 cancelling", () => {
  const script: ScriptedStep[] = [
    [think("a"), say("b"), call("test.echo", { n: 1 }, "1"), call("test.echo", { n: 2 }, "2"), finish()],
    [say("c"), say("d"), finish()],
  ];

  test("at every event: interrupted with the reason given, no event after it, and the model's signal aborted", async () => {
    const whole = await play(script, { tools: [echo] });
    for (let at = 0; at < whole.events.length; at++) {
      const controller = new AbortController();
      let seen = 0;
      const { result, events, model } = await play(script, {
        tools: [echo],
        signal: controller.signal,
        onEvent: () => seen++ === at && controller.abort(new ChatError("aborted", "Stopped by Ctrl-C.")),
      });
      expect(codeOf(result)).toBe("interrupted:aborted");
      expect(result).toMatchObject({ error: { message: "Stopped by Ctrl-C." } });
      expect(events).toEqual(whole.events.slice(0, at + 1));
      for (const request of model.requests) expect(request.signal.aborted).toBe(true);
    }
  });

  test("a model and a tool that ignore the signal hold nothing up", async () => {
    const deaf = {
      ...scriptedModel([]),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    };
    const controller = new AbortController();
    const running = play([], { model: deaf, signal: controller.signal });
    controller.abort();
    expect(codeOf((await running).result)).toBe("interrupted:aborted");

    const half = {
      ...scriptedModel([]),
      async *stream() {
        yield say("x");
        await new Promise(() => {});
      },
    };
    const third = new AbortController();
    const middle = await play([], {
      model: half,
      signal: third.signal,
      onEvent: (event) => event.type === "text" && setTimeout(() => third.abort()),
    });
    expect(codeOf(middle.result)).toBe("interrupted:aborted");

    const second = new AbortController();
    const stuck = tool("t", () => new Promise(() => {}));
    const { result } = await play([[call("t", { n: 1 }), finish()]], {
      tools: [stuck],
      signal: second.signal,
      onEvent: (event) => event.type === "tool-start" && setTimeout(() => second.abort()),
    });
    expect(codeOf(result)).toBe("interrupted:aborted");
  });

  test("what answers after the abort is not heard, and begins nothing", async () => {
    const controller = new AbortController();
    const allowed = Promise.withResolvers<ReadonlyMap<string, string>>();
    const told: string[] = [];
    const model = scriptedModel([[call("test.echo", { n: 1 }), finish()], "done"]);
    const options = { model, system: "", context: emptyContext, tools: [echo], limits, budget };
    const result = await runTurn(
      {
        ...{ ...options, input: { role: "user", text: "x" }, signal: controller.signal },
        authorize: () => {
          controller.abort();
          return allowed.promise;
        },
      },
      ({ type }) => void told.push(type),
    );
    expect(codeOf(result)).toBe("interrupted:aborted");
    allowed.resolve(new Map());
    await Bun.sleep(1);
    expect([told, model.requests.length]).toEqual([["step-start"], 1]);
  });

  test("a reader that leaves ends the request", async () => {
    const model = scriptedModel([[say("x"), "hang"]]);
    const running = turn({
      model,
      system: "",
      context: emptyContext,
      input: { role: "user", text: "x" },
      tools: [],
      limits,
      budget,
      signal: new AbortController().signal,
    });
    await running.next();
    await running.next();
    await running.return({ state: "failed", error: new ChatError("aborted", ""), usage: null, reported: null });
    expect(model.requests[0]?.signal.aborted).toBe(true);
  });

  test("whatever the leaving of a model's iterator does, its answer stands", async () => {
    const leavings = [
      () => ({ done: true }),
      () => {
        throw new Error("cannot be left");
      },
      async () => Promise.reject(new Error("left badly")),
      () => new Promise(() => {}),
    ];
    for (const leave of leavings) {
      const events = [say("x"), finish(), say("more")];
      const iterator = { next: async () => ({ done: false, value: events.shift() }), return: leave };
      const stream = () => ({ [Symbol.asyncIterator]: () => iterator }) as never;
      const { result } = await play([], { model: { ...scriptedModel([]), stream } });
      expect(result).toMatchObject({ state: "completed", text: "x" });
    }
  });

  test("an abort before the start makes no request", async () => {
    const { result, model } = await play(["x"], { signal: AbortSignal.abort() });
    expect(codeOf(result)).toBe("interrupted:aborted");
    expect(model.requests).toHaveLength(0);
  });
});
