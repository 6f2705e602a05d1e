import { describe, expect, test } from "bun:test";
import { codeOf, scriptedChat } from "../test/client.ts";
import { compact, createChat } from "./index.ts";
import { sessionModel } from "./session.ts";
import { scriptedModel } from "./testing/index.ts";

describe("L8 the options of a client", () => {
  test("which of them cannot be is said, by its code", () => {
    const model = scriptedModel(["answer"]);
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /model/],
      [{}, /model/],
      [{ model: "gpt-5.2" }, /model/],
      [{ model: {} }, /model/],
      [{ model: { specificationVersion: "v4" } }, /languageModel/],
      [{ model, system: 5 }, /system/],
      [{ model, tools: {} }, /tools/],
      [{ model, policy: compact }, /policy/],
      [{ model, policy: "compact" }, /policy/],
      [{ model, limits: { steps: "5" } }, /steps/],
      [{ model, limits: { steps: undefined } }, /steps/],
      [{ model, limits: { steps: null } }, /steps/],
      [{ model, contextWindow: -1 }, /contextWindow/],
      [{ model, transcript: {} }, /transcript/],
    ];
    for (const [options, words] of wrong) {
      const error = { code: "option_invalid", message: expect.stringMatching(words) };
      expect(() => createChat(options as never)).toThrow(expect.objectContaining(error));
    }
  });

  test("C13 a window without an end has room for every message", async () => {
    const { client } = scriptedChat(["answer"], { contextWindow: Infinity });
    expect((await client.chat("hello")).text).toBe("answer");
  });

  test("what a provider that keeps its conversation is never told is refused", () => {
    const openSession = () => ({ async *send() {}, state: () => null, close: async () => {} });
    const model = sessionModel({ provider: "k", modelId: "k", openSession });
    for (const options of [{ effort: "high" as const }, { maxOutputTokens: 9 }]) {
      expect(() => createChat({ model, ...options })).toThrow(expect.objectContaining({ code: "capability_missing" }));
    }
  });

  test("C13 the window holds where a server counts no tokens, or next to none", async () => {
    for (const tokens of [0, 15]) {
      const usage = { inputTokens: tokens, outputTokens: 0, totalTokens: tokens };
      const answer = { type: "text", delta: "answer ".repeat(60) } as const;
      const unknown = { reasoningTokens: null, cachedInputTokens: null };
      const finish = { type: "finish", reason: "stop", usage: { ...usage, ...unknown }, continuation: null } as const;
      const { client, model } = scriptedChat([[answer, finish]], { contextWindow: 1_000 });
      for (let n = 0; n < 40; n++) await client.chat(`question ${n}`);
      expect(JSON.stringify(model.requests.at(-1)?.messages).length).toBeLessThan(12_000);
    }
  });

  test("an authorize that fails is not told as the model's failure, and nothing was run", async () => {
    let ran = 0;
    const tool = {
      ...{ name: "t", description: "t", inputJsonSchema: {}, onFailure: "tell-model" as const },
      input: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const,
      run: async () => ran++,
    };
    const request = { type: "tool-call", toolCallId: "1", toolName: "t", input: "{}" } as const;
    const finish = { type: "finish", reason: "tool-calls", usage: null, continuation: null } as const;
    const authorize = async () => Promise.reject(new Error("no database"));
    const { client } = scriptedChat([[request, finish]], { tools: [tool], authorize });
    const failed = client.chat("hi");
    expect(await codeOf(failed)).toBe("tool_refused");
    await expect(failed).rejects.toThrow(/no database; nothing was run/);
    expect(ran).toBe(0);
  });
});
