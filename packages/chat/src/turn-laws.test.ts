/**
 * What holds of a turn whatever a model, tools, a caller and an abort do: random scripts, played against the laws. A
 * failing script is shrunk and printed by fast-check with its seed.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import type { Clock } from "./clock.ts";
import { emptyContext } from "./context.ts";
import { ChatError } from "./errors.ts";
import type { Json } from "./json.ts";
import { jsonBytes, type Message, messageBytes } from "./messages.ts";
import type { ModelEvent } from "./model.ts";
import { finish, scriptedModel } from "./testing/index.ts";
import { utf8Length } from "./text.ts";
import { defineTool, type Tool } from "./tools.ts";
import { type TurnLimits, type TurnOptions, turn } from "./turn.ts";
import type { TurnEvent, TurnResult } from "./turn-events.ts";

type Item = ModelEvent | Error | "deadline";

interface Plan {
  readonly steps: readonly (readonly Item[])[];
  readonly refuse: readonly boolean[];
  readonly steer: readonly (readonly string[])[];
  /** The event at which the caller aborts. */
  readonly abortAt: number | null;
  readonly limits: Pick<TurnLimits, "answerBytes" | "recordBytes" | "steps" | "toolCalls">;
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("\ud83d", "\ude00", "a\ud83d", "\0", "\u202e\x1b[2J", "é", "👩‍🚀", "", " \n"),
);
const call = fc.record({
  type: fc.constant("tool-call" as const),
  toolCallId: fc.constantFrom("", "a", "b", "c", "\ud800", "\udc00"),
  toolName: fc.constantFrom("ok", "half", "bad", "throws", "fatal", "none", "no\ud800"),
  input: fc.oneof({ weight: 4, arbitrary: fc.constant('{"n":1}') }, fc.constantFrom("{", '{"n":"x\ud800\\udead"}', "")),
});
const end = fc.oneof(
  { weight: 8, arbitrary: fc.constant(finish("stop")) },
  { weight: 4, arbitrary: fc.constant(finish("tool-calls", { inputTokens: 1 })) },
  { weight: 2, arbitrary: text.map((words) => finish("stop", null, [{ type: "text", text: words }])) },
  fc.constantFrom<Item>(finish("length"), finish("content-filter"), finish("error"), finish("other", null)),
  fc.constantFrom<Item>(new Error("odd"), new ChatError("provider_auth", "no"), "deadline", finish("interrupted")),
);
const step = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: text.map((delta): Item => ({ type: "text", delta })) },
        { weight: 2, arbitrary: call },
        text.map((delta): Item => ({ type: "reasoning", section: 0, delta })),
        text.map((delta): Item => ({ type: "tool-input", delta })),
      ),
      { maxLength: 6 },
    ),
    fc.option(end, { freq: 12 }),
  )
  .map(([items, last]): Item[] => (last === null ? items : [...items, last]));
const plans: fc.Arbitrary<Plan> = fc.record({
  // A script that ends in an answer, as most do, and one that plays its last step again and again.
  steps: fc
    .tuple(fc.array(step, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([steps, answered]) => (answered ? [...steps, [{ type: "text", delta: "done" }, finish()]] : steps)),
  refuse: fc.array(fc.boolean(), { maxLength: 4 }),
  steer: fc.array(fc.array(text, { maxLength: 2 }), { maxLength: 3 }),
  abortAt: fc.option(fc.nat(20), { freq: 2 }),
  limits: fc.record({
    answerBytes: fc.oneof(fc.nat(12), { weight: 3, arbitrary: fc.constant(1000) }),
    recordBytes: fc.oneof(fc.nat(60), { weight: 3, arbitrary: fc.constant(10_000) }),
    steps: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(6)),
    toolCalls: fc.oneof(fc.nat(8), fc.constant(40)),
  }),
});

/** Fires everything that waits, when told. */
function deadlineClock(): Clock & { fire(): void } {
  const waiting = new Map<object, { ms: number; then: () => void }>();
  return {
    now: () => 0,
    after(ms, then) {
      const key = {};
      waiting.set(key, { ms, then });
      return () => waiting.delete(key);
    },
    /** The shortest of them, as time would. */
    fire() {
      const [next] = [...waiting].sort(([, a], [, b]) => a.ms - b.ms);
      if (!next) return;
      waiting.delete(next[0]);
      next[1].then();
    },
  };
}

function tools(ran: string[]): Tool[] {
  const runs: Record<string, () => Promise<unknown>> = {
    ok: async () => ({ done: true }),
    half: async () => ({ "k\ud83d": "v\ude00" }),
    bad: async () => undefined,
    throws: async () => Promise.reject(new Error("broke \ud83d")),
    fatal: async () => Promise.reject(new ChatError("tool_failed", "on purpose")),
  };
  return Object.entries(runs).map(([name, run]) =>
    defineTool({
      name,
      description: name,
      input: v.object({ n: v.number() }),
      inputJsonSchema: {},
      onFailure: name === "fatal" ? "fail-turn" : "tell-model",
      run(_, { toolCallId }) {
        ran.push(toolCallId);
        return run() as Promise<Json>;
      },
    }),
  );
}

interface Played {
  readonly events: readonly TurnEvent[];
  readonly result: TurnResult;
  readonly aborted: boolean;
  readonly ran: readonly string[];
  readonly model: ReturnType<typeof scriptedModel>;
}

async function play(plan: Plan): Promise<Played> {
  const clock = deadlineClock();
  const ran: string[] = [];
  const model = scriptedModel(
    plan.steps.map((items) => () => {
      if (items.includes("deadline")) queueMicrotask(() => setTimeout(() => clock.fire()));
      return items.map((item) => (item === "deadline" ? "hang" : item));
    }),
  );
  const steer = [...plan.steer];
  const controller = new AbortController();
  const options: TurnOptions = {
    model,
    system: "",
    context: emptyContext,
    input: { role: "user", text: "hi\ud800" },
    tools: tools(ran),
    limits: { ...plan.limits, turnMs: 200, requestMs: 100 },
    budget: { exchanges: 1, bytes: 1e6, tokens: 1e6 },
    authorize: async (batch) =>
      new Map(batch.flatMap((one, i) => (plan.refuse[i] ? [[one.toolCallId, "no \udead"] as const] : []))),
    steer: async () => steer.shift() ?? [],
    signal: controller.signal,
    clock,
  };
  const running = turn(options);
  const events: TurnEvent[] = [];
  for (;;) {
    const next = await running.next();
    if (next.done) {
      expect(await running.next()).toEqual({ done: true, value: undefined } as never);
      return { events, result: next.value, aborted: controller.signal.aborted, ran, model };
    }
    // An abort ends it: nothing is reported after it.
    expect(controller.signal.aborted).toBe(false);
    events.push(next.value);
    if (events.length - 1 === plan.abortAt) controller.abort(new ChatError("aborted", "Stopped."));
  }
}

/** Every call is answered at once, in order, under an ID of its own; nothing answers what was not asked. */
function checkPaired(messages: readonly Message[]): void {
  const seen = new Set<string>();
  for (const [i, message] of messages.entries()) {
    if (message.role === "tool") {
      const asked = messages[i - 1];
      expect(asked?.role === "assistant" && asked.toolCalls.map((one) => one.toolCallId)).toEqual(
        message.results.map((one) => one.toolCallId),
      );
    }
    if (message.role !== "assistant") continue;
    for (const { toolCallId } of message.toolCalls) {
      expect(toolCallId === "" || seen.has(toolCallId)).toBe(false);
      seen.add(toolCallId);
    }
    expect(messages[i + 1]?.role === "tool").toBe(message.toolCalls.length > 0);
  }
  expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/);
}

function checkEvents({ events, ran }: Played, plan: Plan): void {
  const ids = (type: "tool-start" | "tool-end") =>
    events.flatMap((event) => (event.type === type ? [event.call.toolCallId] : []));
  const rejected = events.flatMap((event) =>
    event.type === "tool-end" && event.result.state === "rejected" ? [event.call.toolCallId] : [],
  );
  const started = ids("tool-start");
  expect(new Set(started).size).toBe(started.length);
  expect(new Set(ids("tool-end")).size).toBe(ids("tool-end").length);
  for (const id of ids("tool-end")) expect(started.includes(id)).toBe(!rejected.includes(id));
  for (const id of ran) expect(started).toContain(id);
  const steps = events.flatMap((event) => (event.type === "step-start" ? [event.step] : []));
  expect(steps).toEqual(steps.map((_, i) => i + 1));
  expect(steps.length).toBeLessThanOrEqual(plan.limits.steps);
  expect(started.length + rejected.length).toBeLessThanOrEqual(plan.limits.toolCalls);
}

function checkCompleted(played: Played, plan: Plan): void {
  const { result, events } = played;
  if (result.state !== "completed") {
    expect(Object.keys(result).sort()).toEqual(["error", "reported", "state", "usage"]);
    return;
  }
  checkPaired(result.messages);
  const answers = result.messages.flatMap((message) => (message.role === "assistant" ? [message] : []));
  for (const [i, answer] of answers.entries()) {
    const deltas = events.flatMap((event) => (event.type === "text" && event.step === i + 1 ? [event.delta] : []));
    expect(answer.text).toBe(deltas.join(""));
    expect(utf8Length(answer.text)).toBeLessThanOrEqual(plan.limits.answerBytes);
  }
  expect(result.text).toBe(answers.at(-1)?.text ?? "");
  expect(result.text.trim()).not.toBe("");
  expect(result.messages.at(-1)).toMatchObject({ role: "assistant", toolCalls: [] });
  const bytes = answers.reduce((sum, answer) => sum + messageBytes(answer), 0);
  expect(bytes).toBeLessThanOrEqual(plan.limits.recordBytes);
  const ends = events.filter((event) => event.type === "tool-end").length;
  expect(ends).toBe(answers.reduce((sum, answer) => sum + answer.toolCalls.length, 0));
}

/** A failure has its cause in what happened: in the items that the model played, or in a limit. */
function checkCause({ result, aborted, model, events }: Played, plan: Plan): void {
  if (aborted) expect(result).toMatchObject({ state: "interrupted", error: { message: "Stopped." } });
  if (aborted || result.state === "completed") return;
  expect(result.state).toBe("failed");
  const last = plan.steps[Math.min(model.requests.length, plan.steps.length) - 1] ?? [];
  const ended = last.find((item) => item instanceof Error || item === "deadline" || item.type === "finish");
  const reason = typeof ended === "object" && "reason" in ended ? ended.reason : null;
  const size = (item: Item) => (typeof item === "object" && "type" in item ? jsonBytes(item as unknown as Json) : 0);
  const explained: Partial<Record<string, boolean>> = {
    answer_unfinished: ended === undefined || reason === "interrupted",
    answer_truncated: reason === "length",
    answer_filtered: reason === "content-filter",
    provider_server: reason === "error" || ended instanceof Error,
    provider_auth: ended instanceof ChatError,
    request_deadline: ended === "deadline",
    answer_empty: reason !== null,
    answer_too_large: last.reduce((sum, item) => sum + size(item), 0) > plan.limits.answerBytes,
    record_too_large: plan.limits.recordBytes < 10_000,
    step_limit: model.requests.length === plan.limits.steps,
    tool_call_limit: last.length > 0 && plan.limits.toolCalls < 8 * plan.limits.steps,
    tool_failed: events.some((event) => event.type === "tool-end" && event.call.toolName === "fatal"),
  };
  expect([result.error.code, explained[result.error.code]]).toEqual([result.error.code, true]);
}

test("C11 C12 C14 laws of a turn: paired calls, right states, whole characters, nothing after the end", async () => {
  const states = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const played = await play(plan);
      const { state } = played.result;
      states.set(state, (states.get(state) ?? 0) + 1);
      checkCompleted(played, plan);
      checkCause(played, plan);
      checkEvents(played, plan);
      const begun = played.events.filter((event) => event.type === "step-start").length;
      const stopped = played.aborted && played.events.at(-1)?.type === "step-start";
      expect(played.model.requests).toHaveLength(stopped ? begun - 1 : begun);
      for (const request of played.model.requests) {
        expect(request.signal.aborted).toBe(true);
        checkPaired(request.messages);
        expect(request.messages.at(-1)?.role).not.toBe("assistant");
      }
    }),
    { numRuns: 2_000 },
  );
  // The scripts reach every ending often enough for the laws to mean something.
  for (const state of ["completed", "failed", "interrupted"]) expect(states.get(state) ?? 0).toBeGreaterThan(100);
});
