/** Anthropic Messages: POST /v1/messages. */
import { type Encoder, type Fields, fields, list, namesProblem, type Protocol, sse } from "../protocol.ts";
import type { Finish, ReplyUsage } from "../script.ts";

export const anthropicMessages: Protocol = {
  name: "anthropic",
  basePath: "/v1",
  matches: (path) => path === "/v1/messages",
  key: (headers) => headers.get("x-api-key"),
  problem,
  errorBody: (status, error) =>
    JSON.stringify({
      type: "error",
      error: { type: error.type ?? errorType(status), message: error.message },
      request_id: "req_1",
    }),
  encoder,
};

function errorType(status: number): string {
  const types: { readonly [status: number]: string } = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
  };
  return types[status] ?? "api_error";
}

function problem(body: Fields): string | null {
  if (typeof body.model !== "string") return "model: Field required";
  if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
  if (body.stream !== true) return "This server only streams.";
  const messages = list(body.messages);
  if (messages.length === 0) return "messages: at least one message is required";
  const names = namesProblem(
    list(body.tools).map((tool) => tool.name),
    /^[a-zA-Z0-9_-]{1,128}$/,
  );
  if (names) return names;
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  const used = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const role = index % 2 === 0 ? "user" : "assistant";
    if (message.role !== role) return 'messages: roles must alternate between "user" and "assistant"';
    const blocks =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content);
    if (blocks.length === 0) return `messages.${index}: content must not be empty`;
    const found = role === "user" ? userProblem(blocks, open, index) : assistantProblem(blocks, used, index);
    if (found) return found;
    open = role === "user" ? [] : blocks.filter((block) => block.type === "tool_use").map((block) => String(block.id));
  }
  if (open.length > 0)
    return `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}`;
  return null;
}

function userProblem(blocks: readonly Fields[], open: readonly string[], index: number): string | null {
  const answered = new Set<string>();
  let textSeen = false;
  for (const block of blocks) {
    if (block.type === "text") {
      if (typeof block.text !== "string" || block.text.trim() === "")
        return `messages.${index}: text content blocks must be non-empty`;
      textSeen = true;
    } else if (block.type === "tool_result") {
      const id = String(block.tool_use_id);
      if (textSeen) return `messages.${index}: tool_result blocks must come first`;
      if (!open.includes(id) || answered.has(id))
        return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`;
      answered.add(id);
    } else return `messages.${index}: unexpected block ${String(block.type)}`;
  }
  const missing = open.find((id) => !answered.has(id));
  return missing
    ? `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`
    : null;
}

function assistantProblem(blocks: readonly Fields[], used: Set<string>, index: number): string | null {
  let toolSeen = false;
  for (const block of blocks) {
    if (block.type === "text") {
      if (typeof block.text !== "string" || block.text.trim() === "")
        return `messages.${index}: text content blocks must be non-empty`;
      if (toolSeen) return `messages.${index}: text after tool_use`;
    } else if (block.type === "thinking") {
      if (!/^signed-/.test(String(block.signature)))
        return `messages.${index}: Invalid \`signature\` in \`thinking\` block`;
    } else if (block.type === "tool_use") {
      const id = String(block.id);
      if (!/^[a-zA-Z0-9_-]+$/.test(id))
        return `messages.${index}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (used.has(id)) return `messages.${index}: \`tool_use\` ids must be unique`;
      if (!/^[a-zA-Z0-9_-]{1,200}$/.test(String(block.name))) return `messages.${index}: tool_use.name: invalid`;
      if (typeof block.input !== "object" || block.input === null || Array.isArray(block.input)) {
        return `messages.${index}: tool_use.input: Input should be a valid dictionary`;
      }
      used.add(id);
      toolSeen = true;
    } else return `messages.${index}: unexpected block ${String(block.type)}`;
  }
  return null;
}

function encoder({ body, number }: { body: Fields; number: number }): Encoder {
  let index = 0;
  let textOpen = false;
  const event = (type: string, data: Fields) => sse({ type, ...data }, type);
  const block = (content: Fields) => event("content_block_start", { index, content_block: content });
  const blockDelta = (delta: Fields) => event("content_block_delta", { index, delta });
  const stop = () => event("content_block_stop", { index: index++ });
  const close = (): readonly string[] => {
    if (!textOpen) return [];
    textOpen = false;
    return [stop()];
  };
  return {
    start: () => [
      event("message_start", {
        message: {
          id: `msg_${number}`,
          type: "message",
          role: "assistant",
          model: body.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      event("ping", {}),
    ],
    text(delta) {
      const events: string[] = [];
      if (!textOpen) events.push(block({ type: "text", text: "" }));
      textOpen = true;
      events.push(blockDelta({ type: "text_delta", text: delta }));
      return events;
    },
    reasoning(deltas) {
      const events = [...close(), block({ type: "thinking", thinking: "", signature: "" })];
      for (const thinking of deltas) events.push(blockDelta({ type: "thinking_delta", thinking }));
      events.push(blockDelta({ type: "signature_delta", signature: `signed-${number}-${index}` }), stop());
      return events;
    },
    toolCall({ id, name, pieces }) {
      const events = [...close(), block({ type: "tool_use", id, name, input: {} })];
      for (const partial_json of pieces) events.push(blockDelta({ type: "input_json_delta", partial_json }));
      events.push(stop());
      return events;
    },
    error: (error) => [event("error", { error: { type: error.type ?? "api_error", message: error.message } })],
    finish: (finish, usage) => [
      ...close(),
      event("message_delta", {
        delta: { stop_reason: stopReason(finish), stop_sequence: null },
        usage: usageFields(usage),
      }),
      event("message_stop", {}),
    ],
  };
}

function stopReason(finish: Finish): string {
  const reasons: { readonly [finish in Finish]: string } = {
    stop: "end_turn",
    "tool-calls": "tool_use",
    length: "max_tokens",
    "content-filter": "refusal",
    refusal: "refusal",
  };
  return reasons[finish];
}

/** Anthropic always reports usage: it has no answer without. */
function usageFields(usage: ReplyUsage | null): Fields {
  const { input, output, cached } = usage ?? { input: 0, output: 0, cached: 0 };
  return fields({ input_tokens: input - (cached ?? 0), cache_read_input_tokens: cached ?? 0, output_tokens: output });
}
