/** Starts the scripted server and opens a real provider's package against it. */
import {
  type AssistantMessage,
  ChatError,
  defineTool,
  type Json,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Tool,
} from "@poppet/chat";
import * as v from "valibot";
import { openModel } from "../../src/models/registry.ts";
import type { Settings } from "../../src/settings.ts";
import { testSettings } from "../assistant.ts";
import {
  apiKey,
  type ModelServer,
  type ProtocolName,
  type Reply,
  type Script,
  startModelServer,
} from "../model-server/index.ts";

export const providers: readonly { readonly provider: ProtocolName; readonly model: string }[] = [
  { provider: "openai", model: "gpt-5" },
  { provider: "openai-compatible", model: "qwen3" },
  { provider: "anthropic", model: "claude-sonnet-4-5" },
  { provider: "gemini", model: "gemini-2.5-flash" },
];

export const now = Date.UTC(2026, 10, 30, 12);

export function settingsFor(provider: ProtocolName, baseUrl: string, more: Partial<Settings> = {}): Settings {
  return testSettings({ provider: null, model: null, providers: { [provider]: { baseUrl, apiKey } }, ...more });
}

export const deps = { env: {}, now: () => now, modelsFolder: "" };

export async function withServer<Result>(
  script: Script | readonly Reply[],
  use: (server: ModelServer) => Promise<Result>,
): Promise<Result> {
  const server = await startModelServer("replies" in script ? script : { replies: script });
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

export async function openAt(
  server: ModelServer,
  { provider, model }: { provider: ProtocolName; model: string },
): Promise<Model> {
  const settings = settingsFor(provider, server.baseUrl(provider));
  return (await openModel({ provider, model }, settings, deps, new AbortController().signal)).model;
}

export function weatherTool(
  run: (city: string, signal: AbortSignal) => Promise<Json> = async (city) => `Sunny in ${city}.`,
): Tool {
  return defineTool({
    name: "poppet_test.weather",
    description: "The weather of a city",
    input: v.object({ city: v.string() }),
    inputJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: ({ city }, { signal }) => run(city, signal),
  });
}

export function requestOf(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: "Be kind.", messages, tools: [], signal: new AbortController().signal, ...more };
}

export function user(text: string): Message {
  return { role: "user", text };
}

export interface Collected {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly finish: ModelEvent & { type: "finish" };
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<Collected> {
  const seen: ModelEvent[] = [];
  for await (const event of events) seen.push(event);
  const finish = seen.at(-1);
  if (finish?.type !== "finish") throw new Error("The stream ended without a finish.");
  return { events: seen, text: seen.map((event) => (event.type === "text" ? event.delta : "")).join(""), finish };
}

/** The assistant message that the turn loop would save of what was collected. */
export function assistantOf(model: Model, { events, text, finish }: Collected): AssistantMessage {
  return {
    role: "assistant",
    text,
    reasoning: events.map((event) => (event.type === "reasoning" ? event.delta : "")).join(""),
    toolCalls: events
      .filter((event) => event.type === "tool-call")
      .map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: JSON.parse(input) })),
    provider: model.provider,
    model: model.modelId,
    continuation: finish.continuation,
    measured: null,
  };
}

export async function failureOf(work: Promise<unknown>): Promise<ChatError> {
  try {
    await work;
  } catch (thrown) {
    if (ChatError.isInstance(thrown)) return thrown;
    throw new Error(`Not a ChatError: ${thrown}`);
  }
  throw new Error("Nothing was thrown.");
}
