// What the stand-in for Claude Code writes, piece by piece, in its stream-json format; `{session}` is the session's ID.

const line = (message) => `${JSON.stringify(message)}\n`;
const event = (event) => line({ type: "stream_event", event, parent_tool_use_id: null, session_id: "{session}" });

export const init = (more = {}) =>
  line({ type: "system", subtype: "init", tools: [], mcp_servers: [], model: "m", session_id: "{session}", ...more });

export const textDelta = (text) =>
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
export const thinking = (...deltas) => [
  event({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } }),
  ...deltas.map((delta) =>
    event({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: delta } }),
  ),
];
export const messageStart = () => event({ type: "message_start", message: { role: "assistant", content: [] } });
export const messageStop = (reason = "end_turn") => event({ type: "message_delta", delta: { stop_reason: reason } });

const usage = {
  input_tokens: 4,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 20,
  output_tokens: 5,
  service_tier: "standard",
};
export const result = (text = "", more = {}) =>
  line({
    ...{ type: "result", subtype: "success", is_error: false, num_turns: 1, result: text, session_id: "{session}" },
    ...{ stop_reason: "end_turn", total_cost_usd: 0.001, usage, modelUsage: {}, ...more },
  });

export const answer = (...deltas) => ({
  pieces: [init(), messageStart(), ...deltas.map(textDelta), messageStop(), result(deltas.join(""))],
});
export const failure = (words, { kind, ...more } = {}) => ({
  pieces: [
    init(),
    ...(kind
      ? [
          line({
            type: "assistant",
            error: kind,
            message: { model: "<synthetic>", content: [{ type: "text", text: words }] },
          }),
        ]
      : []),
    result(words, { is_error: true, ...more }),
  ],
  exit: 1,
});
export const limitReached = (resetsAt) =>
  line({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt, rateLimitType: "five_hour" } });
