/** Any server that speaks Chat Completions: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter; and OpenCode Go. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Connection, ModelDeps } from "./connection.ts";
import type { Opened } from "./opened.ts";

export function open(model: string, connection: Connection): Opened {
  return { model: chatModel(model, connection, {}) };
}

/** OpenCode Go refuses a request without a session, by which it keeps a conversation on one machine and its cache. */
export function openOpencodeGo(model: string, connection: Connection, deps: ModelDeps): Opened {
  return { model: chatModel(model, connection, { "x-opencode-session": deps.conversationId ?? crypto.randomUUID() }) };
}

function chatModel(model: string, { baseUrl, apiKey, fetch }: Connection, headers: Record<string, string>) {
  const provider = createOpenAICompatible({
    name: "compatible",
    baseURL: baseUrl,
    fetch: fetch as typeof globalThis.fetch,
    headers,
    includeUsage: true,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.languageModel(model);
}
