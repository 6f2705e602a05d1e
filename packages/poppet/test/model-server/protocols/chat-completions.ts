/** Chat Completions, as OpenAI-compatible servers speak it: POST /v1/chat/completions. */
import { bearer, type Encoder, type Fields, fields, list, namesProblem, type Protocol, sse } from "../protocol.ts";
import type { Finish, ReplyUsage } from "../script.ts";

export const chatCompletions: Protocol = {
  name: "openai-compatible",
  basePath: "/v1",
  matches: (path) => path === "/v1/chat/completions",
  key: bearer,
  problem,
  errorBody: (_status, error) =>
    JSON.stringify({
      error: {
        message: error.message,
        type: error.type ?? "invalid_request_error",
        param: null,
        code: error.code ?? null,
      },
    }),
  encoder,
};

function problem(body: Fields): string | null {
  if (typeof body.model !== "string") return "you must provide a model parameter";
  if (body.stream !== true) return "This server only streams.";
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' must not be empty";
  const tools = list(body.tools).map((tool) => fields(tool.function).name);
  const names = namesProblem(tools, /^[a-zA-Z0-9_-]{1,64}$/);
  if (names) return names;
  let open = new Set<string>();
  for (const message of list(body.messages)) {
    if (message.role === "tool") {
      if (!open.delete(String(message.tool_call_id))) {
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      }
      if (typeof message.content !== "string") return "a tool message's content must be a string";
      continue;
    }
    if (open.size > 0) return unanswered(open);
    if (!["system", "developer", "user", "assistant"].includes(String(message.role)))
      return `invalid role ${String(message.role)}`;
    if (message.role !== "assistant") continue;
    const calls = list(message.tool_calls);
    if (calls.length === 0 && (typeof message.content !== "string" || message.content === "")) {
      return "an assistant message needs content or tool_calls";
    }
    open = new Set();
    for (const call of calls) {
      const called = fields(call.function);
      if (typeof call.id !== "string" || call.id === "" || open.has(call.id)) return "invalid tool call id";
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(called.name))) return `invalid function name ${String(called.name)}`;
      if (!isJson(called.arguments)) return "tool call arguments must be JSON";
      open.add(call.id);
    }
  }
  return open.size > 0 ? unanswered(open) : null;
}

function unanswered(open: ReadonlySet<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${[...open].join(", ")}`;
}

function isJson(text: unknown): boolean {
  try {
    return typeof text === "string" && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function encoder({ body, number }: { body: Fields; number: number }): Encoder {
  let calls = 0;
  const chunk = (choices: readonly unknown[], extra: Fields = {}) =>
    sse({
      id: `chatcmpl-${number}`,
      object: "chat.completion.chunk",
      created: 1_760_000_000,
      model: body.model,
      choices,
      ...extra,
    });
  const delta = (fields: Fields, finish: string | null = null) =>
    chunk([{ index: 0, delta: fields, finish_reason: finish }]);
  return {
    start: () => [delta({ role: "assistant", content: "" })],
    text: (text) => [delta({ content: text })],
    reasoning: (deltas) => deltas.map((text) => delta({ reasoning_content: text })),
    toolCall({ id, name, pieces }) {
      const index = calls++;
      const [first = "", ...rest] = pieces;
      return [
        delta({
          tool_calls: [{ index, id, type: "function", function: { name, arguments: pieces.length > 1 ? "" : first } }],
        }),
        ...(pieces.length > 1 ? [first, ...rest] : []).map((piece) =>
          delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ];
    },
    error: (error) => [
      sse({ error: { message: error.message, type: error.type ?? "server_error", code: error.code ?? null } }),
    ],
    finish: (finish, usage) => [
      delta({}, finishReason(finish)),
      ...(usage !== null && fields(body.stream_options).include_usage === true
        ? [chunk([], { usage: usageFields(usage) })]
        : []),
      sse("[DONE]"),
    ],
  };
}

function finishReason(finish: Finish): string {
  if (finish === "tool-calls") return "tool_calls";
  return finish === "content-filter" || finish === "refusal" ? "content_filter" : finish;
}

function usageFields(usage: ReplyUsage): Fields {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}
