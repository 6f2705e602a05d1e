// The suite's back end for claudeLocal: the stand-in, with a script of the answers. For any runtime.
import { answer, failure, init, limitReached, messageStart, messageStop, result, textDelta } from "./script.mjs";
import { standIn } from "./stand-in.mjs";

const key = "zq-9Hs71kPl0Vb3";

export function claudeFactory(claudeLocal) {
  return {
    kind: "session",
    secret: key,
    open(answers) {
      const program = standIn(answers.map(replyOf), { ANTHROPIC_API_KEY: key });
      return {
        provider: claudeLocal(program.options),
        requests: () => program.calls,
        request: async (number) => {
          const { argv, text } = await program.call(number);
          return [...argv, text].join("\n");
        },
        turns: async (number) => (await program.call(number)).turns,
        over: (number) => program.over(number),
        close: () => program.remove(),
      };
    },
  };
}

const status = {
  provider_auth: 401,
  provider_permission: 403,
  model_not_found: 404,
  provider_rate_limit: 429,
  provider_overloaded: 529,
  provider_server: 500,
};
const stopReasons = { stop: "end_turn", length: "max_tokens", "content-filter": "refusal" };

function replyOf(one) {
  switch (one.type) {
    case "text":
      return textReply(one);
    case "stall":
      return { pieces: [init(), messageStart(), ...one.deltas.map(textDelta), "stall"], child: true };
    case "cut":
      return { pieces: [init(), messageStart(), ...one.deltas.map(textDelta)] };
    case "failure": {
      const { pieces, exit } = failure(one.says, { api_error_status: status[one.code] });
      const resets = Math.ceil(Date.now() / 1000) + (one.retryAfterSeconds ?? 0);
      const limit = one.retryAfterSeconds === undefined ? [] : [limitReached(resets)];
      return { pieces: [...pieces.slice(0, 1), ...limit, ...pieces.slice(1)], exit };
    }
    default:
      throw new Error(`Claude Code has no ${one.type}`);
  }
}

function textReply({ deltas, usage, finish = "stop" }) {
  if (!usage && finish === "stop") return answer(...deltas);
  const more = { stop_reason: stopReasons[finish] };
  const counted = usage && {
    ...{ input_tokens: usage.input - usage.cached, cache_creation_input_tokens: 0 },
    ...{ cache_read_input_tokens: usage.cached, output_tokens: usage.output },
  };
  const last = result(deltas.join(""), { ...more, ...(counted && { usage: counted }) });
  return { pieces: [init(), messageStart(), ...deltas.map(textDelta), messageStop(stopReasons[finish]), last] };
}
