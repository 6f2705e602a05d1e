import { expect, test } from "bun:test";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { LanguageModelV3 } from "@ai-sdk/provider-v3";
import { ChatError } from "../errors.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { languageModel } from "./ai-sdk.ts";
import type { AiSdkCall, AiSdkModel } from "./ai-sdk-types.ts";

/** Compiles, or the structural types no longer fit the SDK's. */
export const assignable: readonly ((model: never) => AiSdkModel)[] = [
  (model: LanguageModelV4): AiSdkModel => model,
  (model: LanguageModelV3): AiSdkModel => model,
];

const usage = { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 4, reasoning: 2 } };
const stop = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };

type Part = { readonly type: string; readonly [field: string]: unknown };

/** An AI SDK model of anyone's making. */
function modelOf(parts: readonly Part[], open = (_call: AiSdkCall) => {}): AiSdkModel {
  return {
    specificationVersion: "v4",
    provider: "acme.chat",
    modelId: "m1",
    async doStream(call) {
      open(call);
      const start = (controller: ReadableStreamDefaultController<Part>) => {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      };
      return { stream: new ReadableStream({ start }) };
    },
  };
}

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "",
    messages: [{ role: "user", text: "Hi" }],
    tools: [],
    signal: new AbortController().signal,
    ...more,
  };
}

async function eventsOf(model: AiSdkModel, more: Partial<ModelRequest> = {}): Promise<readonly ModelEvent[]> {
  return Array.fromAsync(languageModel(model).stream(request(more)));
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "nothing thrown",
    (thrown) => (ChatError.isInstance(thrown) ? thrown.code : `not a ChatError: ${thrown}`),
  );
}

test("L7 parts that mean nothing here pass unread, and sections count from their first words", async () => {
  const events = await eventsOf(
    modelOf([
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r" },
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-end", id: "0" },
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "One" },
      { type: "reasoning-end", id: "1" },
      { type: "reasoning-start", id: "2" },
      { type: "reasoning-delta", id: "2", delta: "Two" },
      { type: "source", url: "x" },
      { type: "text-delta", id: "t", delta: "" },
      { type: "text-delta", id: "t", delta: "Hello" },
      { type: "tool-call", toolCallId: "c0", toolName: "search", input: "{}", providerExecuted: true },
      { type: "ping" },
      stop,
      { type: "text-delta", id: "t", delta: "after the finish" },
    ]),
  );
  expect(events).toEqual([
    { type: "reasoning", section: 0, delta: "One" },
    { type: "reasoning", section: 1, delta: "Two" },
    { type: "text", delta: "Hello" },
    {
      type: "finish",
      reason: "stop",
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, reasoningTokens: 2, cachedInputTokens: 1 },
      continuation: [
        { type: "reasoning", text: "One" },
        { type: "reasoning", text: "Two" },
        { type: "text", text: "Hello" },
      ],
    },
  ]);
});

test("§8.11 the continuation holds the latest metadata of each part, as plain JSON", async () => {
  const [, finish] = await eventsOf(
    modelOf([
      { type: "reasoning-start", id: "r", providerMetadata: { acme: { id: 1, gone: undefined } } },
      { type: "reasoning-end", id: "r", providerMetadata: { acme: { id: 1, signature: "s" } } },
      { type: "tool-call", toolCallId: "c", toolName: "a__b", input: "[1]", providerMetadata: { acme: { id: 2 } } },
      { ...stop, finishReason: { unified: "tool-calls", raw: "x" } },
    ]),
  );
  const content = [
    { type: "reasoning", text: "", providerOptions: { acme: { id: 1, signature: "s" } } },
    { type: "tool-call", toolCallId: "c", toolName: "a__b", input: {}, providerOptions: { acme: { id: 2 } } },
  ];
  expect(finish).toMatchObject({ type: "finish", reason: "tool-calls", continuation: content });
});

test("§8.22 no figure at all is no usage; a missing one is null", async () => {
  const finishWith = async (figures: object) => (await eventsOf(modelOf([{ ...stop, usage: figures }]))).at(-1);
  expect(await finishWith({})).toMatchObject({ usage: null });
  expect(await finishWith({ outputTokens: { total: 5 } })).toMatchObject({
    usage: { inputTokens: null, outputTokens: 5, totalTokens: null, reasoningTokens: null, cachedInputTokens: null },
  });
});

test.each(["other", "error", "interrupted"])(
  "C11 a finish by %s that no provider said is a cut stream",
  async (unified) => {
    const cut = { ...stop, finishReason: { unified, raw: undefined } };
    expect(await codeOf(eventsOf(modelOf([{ type: "text-delta", id: "t", delta: "Half" }, cut])))).toBe(
      "answer_unfinished",
    );
  },
);

test("§8.6 a finish that a provider did say is handed on, an unknown one as other", async () => {
  const finishWith = async (unified: string) =>
    (await eventsOf(modelOf([{ ...stop, finishReason: { unified, raw: "raw" } }]))).at(-1);
  expect(await finishWith("other")).toMatchObject({ reason: "other" });
  expect(await finishWith("new-reason")).toMatchObject({ reason: "other" });
});

test("C11 a stream in which nothing came is no answer, one that ends after something is unfinished", async () => {
  const cut = { ...stop, finishReason: { unified: "other", raw: undefined } };
  const start = { type: "stream-start", warnings: [] };
  for (const nothing of [[], [start], [start, cut]]) {
    expect(await codeOf(eventsOf(modelOf(nothing)))).toBe("provider_malformed");
  }
  expect(await codeOf(eventsOf(modelOf([start, { type: "response-metadata", id: "r" }, cut])))).toBe(
    "answer_unfinished",
  );
});

test("C11 an error in the stream ends it at once", async () => {
  const parts = [
    { type: "error", error: { statusCode: 503, message: "busy" } },
    { type: "text-delta", id: "t", delta: "more" },
    stop,
  ];
  expect(await codeOf(eventsOf(modelOf(parts)))).toBe("provider_overloaded");
});

test("C11 an abort ends the request though the model does not heed it", async () => {
  const cancelled: string[] = [];
  const deaf = {
    ...modelOf([]),
    doStream: async () => ({ stream: new ReadableStream({ cancel: () => void cancelled.push("deaf") }) }),
  } as AiSdkModel;
  const mute = { ...modelOf([]), doStream: () => new Promise(() => {}) } as unknown as AiSdkModel;
  for (const model of [deaf, mute]) {
    const abort = new AbortController();
    const code = codeOf(eventsOf(model, { signal: abort.signal }));
    await Promise.resolve();
    abort.abort();
    expect(await code).toBe("aborted");
  }
  expect(cancelled).toEqual(["deaf"]);
});

test("C11 a stream that opens after the abort is closed, and no listener stays", async () => {
  const opening = Promise.withResolvers<Awaited<ReturnType<AiSdkModel["doStream"]>>>();
  const cancelled = Promise.withResolvers<void>();
  const late = { ...modelOf([]), doStream: () => opening.promise } as AiSdkModel;
  const abort = new AbortController();
  const code = codeOf(eventsOf(late, { signal: abort.signal }));
  abort.abort();
  expect(await code).toBe("aborted");
  opening.resolve({ stream: new ReadableStream({ cancel: () => cancelled.resolve() }) });
  await cancelled.promise;

  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: never, options?: never) => {
    listening.add(listener);
    add(type, listener, options);
  };
  signal.removeEventListener = (type: string, listener: never) => {
    listening.delete(listener);
    remove(type, listener);
  };
  await eventsOf(modelOf([{ type: "text-delta", id: "t", delta: "a" }, stop]), { signal });
  expect(listening.size).toBe(0);
});

test("C11 an abort in mid-answer ends a read that the model leaves hanging", async () => {
  const start = (controller: ReadableStreamDefaultController<Part>) =>
    controller.enqueue({ type: "text-delta", id: "t", delta: "Half" });
  const hanging: AiSdkModel = { ...modelOf([]), doStream: async () => ({ stream: new ReadableStream({ start }) }) };
  const abort = new AbortController();
  const events = languageModel(hanging)
    .stream(request({ signal: abort.signal }))
    [Symbol.asyncIterator]();
  await events.next();
  const next = codeOf(events.next());
  abort.abort();
  expect(await next).toBe("aborted");
});

test("C11 a reader that leaves, and a failure, abort the signal that the model was given", async () => {
  const calls: AiSdkCall[] = [];
  const text = { type: "text-delta", id: "t", delta: "x" };
  const model = modelOf([text, text, { type: "error", error: {} }], (call) => calls.push(call));
  for await (const _event of languageModel(model).stream(request())) break;
  await codeOf(eventsOf(model));
  expect(calls.map((call) => call.abortSignal?.aborted)).toEqual([true, true]);
});

test("§8.7 a time-out signal is a deadline", async () => {
  const mute = { ...modelOf([]), doStream: () => new Promise(() => {}) } as unknown as AiSdkModel;
  expect(await codeOf(eventsOf(mute, { signal: AbortSignal.timeout(1) }))).toBe("request_deadline");
});

test("P1 options and names go to the model as it wants them", async () => {
  const calls: AiSdkCall[] = [];
  const tool = {
    name: "a.b",
    description: "d",
    inputJsonSchema: { type: "object" },
  } as unknown as ModelRequest["tools"][number];
  const model = modelOf([stop], (call) => calls.push(call));
  const ask = async (options: Parameters<typeof languageModel>[1], more: Partial<ModelRequest> = {}) => {
    await Array.fromAsync(languageModel(model, options).stream(request({ tools: [tool], ...more })));
    return calls.at(-1);
  };
  expect((await ask({}))?.tools?.[0]?.name).toBe("a__b");
  expect((await ask({ toolNames: "as-is" }))?.tools?.[0]?.name).toBe("a.b");
  expect(await ask({ supportsTools: false })).not.toHaveProperty("tools");
  expect(await ask({ maxOutputTokens: 5 }, { effort: "high" })).toMatchObject({
    maxOutputTokens: 5,
    reasoning: "high",
  });
  expect((await ask({ maxOutputTokens: 5 }, { maxOutputTokens: 3 }))?.maxOutputTokens).toBe(3);
  expect((await ask({ providerOptions: { acme: { store: false } } }))?.providerOptions).toEqual({
    acme: { store: false },
  });
  expect(languageModel(model, { provider: "acme" })).toMatchObject({
    provider: "acme",
    modelId: "m1",
    supportsTools: true,
  });
});

test("L7 a model of another specification is refused where it is given, with what to do", () => {
  for (const version of ["v2", "v5", undefined]) {
    const model = { ...modelOf([]), specificationVersion: version } as unknown as AiSdkModel;
    expect(() => languageModel(model)).toThrow(expect.objectContaining({ code: "model_unsupported" }));
  }
});

test("L7 the effort is sent to a model of v4 only", async () => {
  const sent: AiSdkCall[] = [];
  const model = modelOf([{ type: "text-delta", id: "0", delta: "a" }, stop], (call) => sent.push(call));
  await eventsOf(model, { effort: "high" });
  await eventsOf({ ...model, specificationVersion: "v3" }, { effort: "high" });
  expect(sent.map((call) => call.reasoning)).toEqual(["high", undefined]);
});

test("L6 a schema goes as the answer's format, and cache marks only to Anthropic's models", async () => {
  const calls: AiSdkCall[] = [];
  const messages = [{ role: "user" as const, text: "x", cached: true }];
  for (const provider of ["anthropic.messages", "vertex.anthropic.messages", "openai.responses"]) {
    const model = { ...modelOf([stop], (one) => calls.push(one)), provider };
    await Array.fromAsync(languageModel(model).stream(request({ messages, schema: { type: "object" } })));
  }
  expect(calls.map((one) => one.responseFormat)).toEqual(
    [1, 2, 3].map(() => ({ type: "json", schema: { type: "object" } })),
  );
  expect(calls.map((one) => JSON.stringify(one.prompt).includes("cacheControl"))).toEqual([true, true, false]);
});

test("L6 a model is asked for a schema where it or its package has it, or the caller says so", () => {
  const has = (provider: string, more: Partial<AiSdkModel> = {}, supportsSchema?: boolean) =>
    languageModel({ ...modelOf([]), provider, ...more }, supportsSchema === undefined ? {} : { supportsSchema })
      .supportsSchema;
  expect(["openai.responses", "anthropic.messages", "google.generative-ai"].map((one) => has(one))).toEqual([
    true,
    true,
    true,
  ]);
  expect([has("acme.chat"), has("acme.chat", { supportsStructuredOutputs: true })]).toEqual([false, true]);
  expect([has("acme.chat", {}, true), has("openai.chat", { supportsStructuredOutputs: false })]).toEqual([true, false]);
});
