/** The packages of AI SDK 6 (specification v3), which npm picks on Node 20: the same adapter, the same protocols. */
import { describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic-v3";
import { createGoogleGenerativeAI } from "@ai-sdk/google-v3";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-v3";
import { createOpenAI } from "@ai-sdk/openai-v3";
import { emptyContext, type TurnResult, turn } from "@poppet/chat";
import { type AiSdkModel, languageModel } from "@poppet/chat/ai-sdk";
import { guardedFetch } from "@poppet/chat/provider";
import { defaultLimits } from "../../src/settings.ts";
import { apiKey, type ModelServer, type ProtocolName, type Reply } from "../model-server/index.ts";
import { collect, failureOf, requestOf, user, weatherTool, withServer } from "./setup.ts";

const models: Readonly<Record<ProtocolName, (baseURL: string) => AiSdkModel>> = {
  openai: (baseURL) => createOpenAI({ ...to(baseURL) }).responses("gpt-5"),
  "openai-compatible": (baseURL) => createOpenAICompatible({ ...to(baseURL), name: "compatible" }).chatModel("qwen3"),
  anthropic: (baseURL) => createAnthropic({ ...to(baseURL) }).languageModel("claude-sonnet-4-5"),
  gemini: (baseURL) => createGoogleGenerativeAI({ ...to(baseURL) }).languageModel("gemini-2.5-flash"),
};

function to(baseURL: string) {
  return { baseURL, apiKey, fetch: guardedFetch("The provider") as typeof globalThis.fetch };
}

const answer: readonly Reply[] = [
  { parts: [{ type: "tool-call", id: "call_1", name: "poppet_test__weather", input: { city: "Oslo" } }] },
  { parts: [{ type: "text", text: ["It is ", "sunny."] }], usage: { input: 10, output: 5 } },
];

async function play(server: ModelServer, protocol: ProtocolName): Promise<TurnResult> {
  const model = models[protocol](server.baseUrl(protocol));
  expect(model.specificationVersion).toBe("v3");
  const limits = { ...defaultLimits, turnMs: 10_000 };
  const events = turn({
    model: languageModel(model, { provider: protocol }),
    system: "Be kind.",
    context: emptyContext,
    input: { role: "user", text: "The weather in Oslo?" },
    tools: [weatherTool()],
    limits,
    budget: { exchanges: 10, bytes: 100_000, tokens: 100_000 },
    effort: "low",
    signal: new AbortController().signal,
  });
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
  }
}

describe.each(Object.keys(models) as ProtocolName[])("L7 a v3 package over %s", (protocol) => {
  test("L7 calls a tool and answers", async () => {
    await withServer(answer, async (server) => {
      const result = await play(server, protocol);
      expect([result.state, result.state === "completed" && result.text]).toEqual(["completed", "It is sunny."]);
      expect(server.requests).toHaveLength(2);
    });
  });

  test("L8 its errors are sorted as everyone's", async () => {
    await withServer([{ status: 401, body: '{"error":{"message":"bad key"}}' }], async (server) => {
      const model = languageModel(models[protocol](server.baseUrl(protocol)), { secrets: [apiKey] });
      const failure = await failureOf(collect(model.stream(requestOf([user("Hi")]))));
      expect([failure.code, failure.message.includes(apiKey)]).toEqual(["provider_auth", false]);
      expect(server.requests).toHaveLength(1);
    });
  });
});
