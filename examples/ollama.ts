/**
 * A provider of one's own: Ollama's own protocol, JSON lines over HTTP. It only asks and streams; that an abort ends it at
 * once, that failures are sorted and that nothing is tried twice is `defineProvider`'s work.
 */
import { ChatError, type Json, type Message, type Model, type Usage } from "@poppet/chat";
import { defineProvider, linesOf, responseError, userTexts } from "@poppet/chat/provider";

export interface OllamaOptions {
  readonly url?: string;
}

export function ollama(modelId: string, { url = "http://127.0.0.1:11434" }: OllamaOptions = {}): Model {
  return defineProvider({
    provider: "ollama",
    modelId,
    label: "Ollama",
    supportsSchema: true,
    async *stream({ system, messages, schema, maxOutputTokens, signal }) {
      const body = {
        model: modelId,
        messages: [{ role: "system", content: system }, ...messages.map(wireMessage)],
        ...(schema !== undefined && { format: schema }),
        ...(maxOutputTokens !== undefined && { options: { num_predict: maxOutputTokens } }),
      };
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/api/chat`, { method: "POST", headers, body: JSON.stringify(body), signal });
      if (!response.ok || !response.body) throw await responseError(response);
      for await (const line of linesOf(response.body)) {
        const part: Part = JSON.parse(line);
        if (part.error) throw new ChatError("provider_server", `Ollama failed: ${JSON.stringify(part.error)}`);
        if (part.message?.thinking) yield { type: "reasoning", section: 0, delta: part.message.thinking };
        if (part.message?.content) yield { type: "text", delta: part.message.content };
        if (!part.done) continue;
        const reason = part.done_reason === "length" ? "length" : "stop";
        yield { type: "finish", reason, usage: usageOf(part), continuation: null };
      }
    },
  });
}

interface Part {
  readonly message?: { readonly content?: string; readonly thinking?: string };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly error?: Json;
}

/** Without tools, another model's calls and their results are told as text. */
function wireMessage(message: Message): { readonly role: string; readonly content: string } {
  switch (message.role) {
    case "user":
      return { role: "user", content: userTexts(message).join("\n\n") };
    case "assistant":
      return { role: "assistant", content: message.text || JSON.stringify(message.toolCalls) };
    case "tool":
      return { role: "user", content: `Results of tools: ${JSON.stringify(message.results)}` };
  }
}

function usageOf({ prompt_eval_count: input, eval_count: output }: Part): Usage | null {
  if (input === undefined || output === undefined) return null;
  const tokens = { inputTokens: input, outputTokens: output, totalTokens: input + output };
  return { ...tokens, reasoningTokens: null, cachedInputTokens: null };
}
