/** Any server that speaks Chat Completions: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter; and OpenCode Go. */
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { Connection, ModelDeps } from "./connection.ts";
import type { Opened } from "./opened.ts";

/** Most servers know three efforts and refuse a fourth, so the highest stand for high. */
export function open(model: string, connection: Connection): Opened {
  const mapReasoning = ({ reasoning }: { reasoning: string }) => (/^(xhigh|max)$/.test(reasoning) ? "high" : reasoning);
  return { model: new OpenAICompatibleChatLanguageModel(model, { ...configOf(connection), mapReasoning }) };
}

/** OpenCode Go refuses a request without a session, by which it keeps a conversation on one machine and its cache. */
export function openOpencodeGo(model: string, connection: Connection, deps: ModelDeps): Opened {
  const session = { "x-opencode-session": deps.sessionId ?? crypto.randomUUID() };
  return { model: new OpenAICompatibleChatLanguageModel(model, configOf(connection, session)) };
}

function configOf({ baseUrl, apiKey, fetch }: Connection, more: Record<string, string> = {}) {
  return {
    provider: "compatible.chat",
    url: ({ path }: { path: string }) => baseUrl + path,
    headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...more },
    fetch: fetch as typeof globalThis.fetch,
    includeUsage: true,
  };
}
