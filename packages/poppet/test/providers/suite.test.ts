/** The library's suite for providers, on each of the SDK's packages before a server that speaks its protocol. */
import { describe, test } from "bun:test";
import { wireName } from "@poppet/chat/provider";
import { type BackEndAnswer, describeProvider, type ModelFactory } from "@poppet/chat/testing";
import { apiKey, type Reply, startModelServer } from "../model-server/index.ts";
import { openAt, providers } from "./setup.ts";

const status: { readonly [code: string]: number } = {
  provider_auth: 401,
  provider_permission: 403,
  model_not_found: 404,
  provider_rate_limit: 429,
  provider_overloaded: 503,
  provider_server: 500,
};

function replyOf(answer: BackEndAnswer): Reply {
  switch (answer.type) {
    case "text": {
      const { deltas, finish = "stop", usage } = answer;
      return { parts: [{ type: "text", text: deltas }], finish, ...(usage && { usage }) };
    }
    case "stall":
    case "cut":
      return { parts: [{ type: "text", text: answer.deltas }, { type: answer.type }] };
    case "tool-call": {
      const { toolCallId, toolName, input } = answer;
      return { parts: [{ type: "tool-call", id: toolCallId, name: wireName(toolName), input, pieces: 3 }] };
    }
    case "failure": {
      const { code, says, retryAfterSeconds: seconds } = answer;
      const headers = seconds === undefined ? {} : { "retry-after": String(seconds) };
      return { status: status[code] ?? 400, body: { error: { message: says } }, headers };
    }
  }
}

for (const one of providers) {
  const open: ModelFactory["open"] = async (answers) => {
    const server = await startModelServer({ replies: answers.map(replyOf) });
    return {
      provider: await openAt(server, one),
      requests: () => server.requests.length,
      request: async (number) => JSON.stringify((await server.request(number)).body),
      over: async (number) => (await server.request(number)).over,
      close: () => server.close(),
    };
  };
  const factory: ModelFactory = { kind: "model", tools: true, secret: apiKey, open };
  describeProvider(factory, { describe, test, name: `L7 ${one.provider}, by the suite for providers` });
}
