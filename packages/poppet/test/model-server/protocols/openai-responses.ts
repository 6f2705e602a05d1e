/** OpenAI Responses: POST /v1/responses. */
import { bearer, type Encoder, type Fields, fields, list, namesProblem, type Protocol, sse } from "../protocol.ts";
import type { Finish, ReplyUsage } from "../script.ts";

export const openaiResponses: Protocol = {
  name: "openai",
  basePath: "/v1",
  matches: (path) => path === "/v1/responses",
  key: bearer,
  problem,
  errorBody: (status, error) =>
    JSON.stringify({
      error: {
        message: error.message,
        type:
          error.type ??
          (status === 401 ? "invalid_request_error" : status === 429 ? "requests" : "invalid_request_error"),
        param: null,
        code: error.code ?? null,
      },
    }),
  encoder,
};

function problem(body: Fields): string | null {
  if (typeof body.model !== "string") return "Missing required parameter: 'model'.";
  if (body.stream !== true) return "This server only streams.";
  if (!Array.isArray(body.input)) return "Missing required parameter: 'input'.";
  const tools = namesProblem(
    list(body.tools).map((tool) => tool.name),
    /^[a-zA-Z0-9_-]{1,64}$/,
  );
  if (tools) return tools;
  const calls = new Map<string, boolean>();
  let reasoningBefore = false;
  for (const item of list(body.input)) {
    const type = item.type ?? "message";
    if (reasoningBefore && type === "message" && item.role !== "assistant") {
      return "Item of type 'reasoning' was provided without its required following item.";
    }
    reasoningBefore = false;
    if (type === "message") {
      if (!["system", "developer", "user", "assistant"].includes(String(item.role)))
        return `Invalid role ${String(item.role)}.`;
      if (item.role === "user" && list(item.content).some((part) => part.type !== "input_text" || part.text === "")) {
        return "Invalid user content.";
      }
    } else if (type === "reasoning") {
      if (body.store === false && typeof item.encrypted_content !== "string") {
        return `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false.`;
      }
      reasoningBefore = true;
    } else if (type === "function_call") {
      if (typeof item.call_id !== "string" || item.call_id.length > 64) return "Invalid 'input[].call_id'.";
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(item.name))) return `Invalid 'input[].name': ${String(item.name)}.`;
      if (calls.has(item.call_id)) return `Duplicate call_id ${item.call_id}.`;
      if (!isJson(item.arguments)) return "Invalid 'input[].arguments'.";
      calls.set(item.call_id, false);
    } else if (type === "function_call_output") {
      if (!calls.has(String(item.call_id)))
        return `No tool call found for function call output with call_id ${String(item.call_id)}.`;
      calls.set(String(item.call_id), true);
    } else if (type === "item_reference") {
      if (body.store === false) return `Item with id '${String(item.id)}' not found.`;
    } else return `Invalid input item type ${String(type)}.`;
  }
  const open = [...calls].find(([, answered]) => !answered);
  return open ? `No tool output found for function call ${open[0]}.` : null;
}

function isJson(text: unknown): boolean {
  try {
    return typeof text === "string" && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function encoder({ body, number }: { body: Fields; number: number }): Encoder {
  let sequence = 0;
  let outputIndex = 0;
  let message: { id: string; text: string } | null = null;
  let reasoning: { id: string; sections: string[] } | null = null;
  const output: unknown[] = [];
  const event = (type: string, data: Fields) => sse({ type, sequence_number: sequence++, ...data }, type);
  const encrypted =
    body.store === false && Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
  const response = (status: string, extra: Fields = {}) => ({
    id: `resp_${number}`,
    object: "response",
    created_at: 1_760_000_000,
    status,
    model: body.model,
    output,
    error: null,
    incomplete_details: null,
    store: body.store ?? true,
    ...extra,
  });

  /** Ends whichever output item is open. */
  const close = (): readonly string[] => {
    if (message) {
      const { id, text } = message;
      const item = {
        id,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      };
      message = null;
      output.push(item);
      return [
        event("response.output_text.done", { item_id: id, output_index: outputIndex, content_index: 0, text }),
        event("response.content_part.done", {
          item_id: id,
          output_index: outputIndex,
          content_index: 0,
          part: item.content[0],
        }),
        event("response.output_item.done", { output_index: outputIndex++, item }),
      ];
    }
    if (reasoning) {
      const item = {
        id: reasoning.id,
        type: "reasoning",
        summary: reasoning.sections.map((text) => ({ type: "summary_text", text })),
        encrypted_content: encrypted ? `encrypted-${reasoning.id}` : null,
      };
      reasoning = null;
      output.push(item);
      return [event("response.output_item.done", { output_index: outputIndex++, item })];
    }
    return [];
  };

  return {
    start: () => [
      event("response.created", { response: response("in_progress") }),
      event("response.in_progress", { response: response("in_progress") }),
    ],
    text(delta) {
      const events: string[] = [];
      if (!message) {
        events.push(...close());
        const id = `msg_${number}_${outputIndex}`;
        message = { id, text: "" };
        events.push(
          event("response.output_item.added", {
            output_index: outputIndex,
            item: { id, type: "message", role: "assistant", status: "in_progress", content: [] },
          }),
          event("response.content_part.added", {
            item_id: id,
            output_index: outputIndex,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          }),
        );
      }
      message.text += delta;
      events.push(
        event("response.output_text.delta", {
          item_id: message.id,
          output_index: outputIndex,
          content_index: 0,
          delta,
        }),
      );
      return events;
    },
    reasoning(deltas) {
      const events: string[] = [];
      if (!reasoning) {
        events.push(...close());
        const id = `rs_${number}_${outputIndex}`;
        reasoning = { id, sections: [] };
        events.push(
          event("response.output_item.added", {
            output_index: outputIndex,
            item: { id, type: "reasoning", summary: [], encrypted_content: encrypted ? `encrypted-${id}` : null },
          }),
        );
      }
      const at = { item_id: reasoning.id, output_index: outputIndex, summary_index: reasoning.sections.length };
      const text = deltas.join("");
      reasoning.sections.push(text);
      events.push(event("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } }));
      for (const delta of deltas) events.push(event("response.reasoning_summary_text.delta", { ...at, delta }));
      events.push(
        event("response.reasoning_summary_text.done", { ...at, text }),
        event("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text } }),
      );
      return events;
    },
    toolCall({ id, name, pieces }) {
      const events = [...close()];
      const item = {
        id: `fc_${number}_${outputIndex}`,
        type: "function_call",
        call_id: id,
        name,
        arguments: "",
        status: "in_progress",
      };
      const done = { ...item, arguments: pieces.join(""), status: "completed" };
      output.push(done);
      const at = { item_id: item.id, output_index: outputIndex };
      events.push(event("response.output_item.added", { output_index: outputIndex, item }));
      for (const delta of pieces) events.push(event("response.function_call_arguments.delta", { ...at, delta }));
      events.push(
        event("response.function_call_arguments.done", { ...at, arguments: done.arguments }),
        event("response.output_item.done", { output_index: outputIndex++, item: done }),
      );
      return events;
    },
    error: (error) => [
      event("response.failed", {
        response: response("failed", {
          error: { code: error.code ?? error.type ?? "server_error", message: error.message },
        }),
      }),
    ],
    finish: (finish, usage) => {
      const reason = incomplete(finish);
      const type = reason === null ? "completed" : "incomplete";
      return [
        ...close(),
        event(`response.${type}`, {
          response: response(type, {
            ...(reason === null ? {} : { incomplete_details: { reason } }),
            usage: usage === null ? null : usageFields(usage),
          }),
        }),
      ];
    },
  };
}

function incomplete(finish: Finish): string | null {
  if (finish === "length") return "max_output_tokens";
  return finish === "content-filter" || finish === "refusal" ? "content_filter" : null;
}

function usageFields(usage: ReplyUsage): Fields {
  return fields({
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: usage.input + usage.output,
  });
}
