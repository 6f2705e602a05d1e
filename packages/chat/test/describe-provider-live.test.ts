/** The suite for models that nobody can script: what it says of one that is right, and of one mistake each. */
import { describe, expect, test } from "bun:test";
import { ChatError, type Model, type ModelEvent, type ModelRequest, type Usage } from "../src/index.ts";
import { describeProvider, type LiveModelFactory } from "../src/testing/index.ts";
import { counting, type Manner } from "./counting-model.ts";
import { casesOf, failing } from "./suite-outcomes.ts";

/** Of a case that is to fail by waiting. */
const briefly = 150;

function factoryOf(make: () => Model): LiveModelFactory {
  return { kind: "live", tools: true, tooLarge: "word ".repeat(1_000), open: () => ({ provider: make() }) };
}

const finishing = (change: (finish: ModelEvent & { readonly type: "finish" }) => readonly ModelEvent[]) =>
  ({ event: (event) => (event.type === "finish" ? change(event) : [event]) }) satisfies Partial<Manner>;
const counts = (usage: Partial<Usage>) =>
  finishing((finish) => [{ ...finish, usage: finish.usage && { ...finish.usage, ...usage } }]);
const calling = (toolName: string, ...ids: readonly string[]) =>
  ({
    event: (event, { tools }) =>
      event.type === "finish" && tools.length > 0
        ? [...ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName, input: "{}" }) as const), event]
        : [event],
  }) satisfies Partial<Manner>;
const called = ({ messages }: ModelRequest) => messages.some((one) => one.role === "tool");

const whole = "an answer is text, then one finish";
const adds = "usage is in tokens that add up";
const pieces = "text comes in pieces";
const bound = "no answer is longer than maxOutputTokens";
const atOnce = "two requests at once";
const early = "an abort before the first event";
const within = "an abort within the answer";
const ahead = "what is aborted already";
const leaves = "a reader that leaves";
const foreign = "a conversation goes on";
const offered = "a request with tools";
const result = "a conversation with a tool's result";
const large = "what is too large";

const broken: readonly (readonly [string, Partial<Manner>, string])[] = [
  ["no text", { event: (event) => (event.type === "text" ? [] : [event]) }, whole],
  ["two finishes", finishing((finish) => [finish, finish]), whole],
  ["no finish", finishing(() => []), whole],
  ["text after the finish", finishing((finish) => [finish, { type: "text", delta: "!" }]), whole],
  ["a total of its own", counts({ totalTokens: 1 }), adds],
  ["cached tokens beside the input", counts({ cachedInputTokens: 1_000_000 }), adds],
  ["half a token", counts({ reasoningTokens: 0.5 }), adds],
  ["all text at the end, in its pieces", { collects: true }, pieces],
  ["all text in one piece", { event: (event) => (isLaterText(event) ? [] : [event]) }, pieces],
  ["no bound", { most: () => 100 }, bound],
  ["a bound that it passes by one", { most: (asked) => asked + 1 }, bound],
  ["stop for all", finishing((finish) => [{ ...finish, reason: "stop" }]), bound],
  ["no second request", { busy: "throws" }, atOnce],
  ["a deaf ear", { signal: () => never }, early],
  ["a place kept by what never began", { frees: "unless aborted early" }, early],
  ["a deaf ear", { signal: () => never }, within],
  ["a place kept by what was stopped", { frees: "unless aborted" }, within],
  ["no look at the signal", { checksSignal: false, signal: () => never }, ahead],
  ["a place kept by who left", { frees: "at the end" }, leaves],
  ["only its own words", { refuses: ({ messages }) => messages.some(isForeign) }, foreign],
  ["no tools", { refuses: ({ tools }) => tools.length > 0 }, offered],
  ["a tool's name on the wire", calling("suite__look", "call_1"), offered],
  ["a call without an ID", calling("suite.look", ""), offered],
  ["one ID for two calls", calling("suite.look", "call_1", "call_1"), offered],
  ["tool calls without a call", finishing((finish) => [{ ...finish, reason: "tool-calls" }]), offered],
  ["no results", { refuses: called }, result],
  ["a place kept by what failed", { frees: "unless it failed" }, large],
  ["another code", { tooLarge: () => new ChatError("provider_rejected", "No.") }, large],
  ["errors as they are", { tooLarge: () => new Error("too long") }, large],
  ["two lines", { tooLarge: () => new ChatError("context_too_large", "It does\nnot fit.") }, large],
];

const never = new AbortController().signal;

function isLaterText(event: ModelEvent): boolean {
  return event.type === "text" && event.delta !== "1 ";
}

function isForeign(message: ModelRequest["messages"][number]): boolean {
  return message.role === "assistant" && message.provider !== "own";
}

describeProvider(
  factoryOf(() => counting()),
  { describe, test, name: "L7 a model that nobody scripts" },
);

describe("L7 the suite for models that nobody can script notices", () => {
  test.each(broken)("%s", async (_name, change, caughtBy) => {
    const model = () => counting(change);
    expect(await failing(factoryOf(model), briefly)).toContainEqual(expect.stringContaining(caughtBy));
  });

  test("nothing in one that is right, also where it is one for all; and each of its cases is in the table", async () => {
    const only = counting();
    expect(await failing(factoryOf(() => only))).toEqual([]);
    expect(await failing(factoryOf(() => counting(calling("suite.look", "call_1", "call_2"))))).toEqual([]);
    const caught = broken.map(([, , by]) => by);
    const names = casesOf(factoryOf(() => counting())).map((one) => one.name);
    expect(names.filter((name) => !caught.some((by) => name.includes(by)))).toEqual([]);
  });
});
