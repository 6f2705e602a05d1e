/** Gemini: POST /v1beta/models/MODEL:streamGenerateContent?alt=sse. */
import { type Encoder, type Fields, fields, list, namesProblem, type Protocol, sse } from "../protocol.ts";
import type { Finish, ReplyUsage } from "../script.ts";

export const gemini: Protocol = {
  name: "gemini",
  basePath: "/v1beta",
  matches: (path) => /^\/v1beta\/models\/[^/]+:streamGenerateContent$/.test(path.split("?")[0] ?? ""),
  key: (headers) => headers.get("x-goog-api-key"),
  problem,
  errorBody: (status, error) =>
    JSON.stringify({ error: { code: status, message: error.message, status: error.type ?? statusName(status) } }),
  encoder,
};

function statusName(status: number): string {
  const names: { readonly [status: number]: string } = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  };
  return names[status] ?? "UNKNOWN";
}

function problem(body: Fields): string | null {
  const declared = list(body.tools).flatMap((tool) => list(tool.functionDeclarations ?? tool.function_declarations));
  const names = namesProblem(
    declared.map((one) => one.name),
    /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  );
  if (names) return names;
  const contents = list(body.contents);
  if (contents.length === 0) return "contents is not specified";
  let called: readonly string[] = [];
  for (const [index, content] of contents.entries()) {
    const parts = list(content.parts);
    if (content.role !== "user" && content.role !== "model") return "Please use a valid role: user, model.";
    if (parts.length === 0) return `contents[${index}].parts must not be empty`;
    const results = parts
      .filter((part) => part.functionResponse)
      .map((part) => String(fields(part.functionResponse).name));
    const calls = parts.filter((part) => part.functionCall).map((part) => String(fields(part.functionCall).name));
    if (results.length !== called.length) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    if ([...results].sort().join() !== [...called].sort().join())
      return "A function response names another function than was called.";
    if (calls.length > 0 && content.role !== "model") return "Only the model calls functions.";
    if (results.length > 0 && content.role !== "user") return "Function responses come from the user.";
    for (const part of parts) {
      if (part.functionCall) {
        const { args } = fields(part.functionCall);
        if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args)))
          return "functionCall.args must be an object";
      } else if (part.functionResponse) {
        const { response } = fields(part.functionResponse);
        if (typeof response !== "object" || response === null || Array.isArray(response))
          return "functionResponse.response must be an object";
      } else if (typeof part.text !== "string")
        return "contents.parts: required oneof field 'data' must have one initialized field";
    }
    called = calls;
  }
  return called.length > 0 ? "Please ensure that function call turn is followed by a function response turn." : null;
}

function encoder({ path, number }: { path: string; number: number }): Encoder {
  const model = /models\/([^:]+):/.exec(path)?.[1] ?? "";
  const chunk = (parts: readonly unknown[], extra: Fields = {}, more: Fields = {}) =>
    sse({
      candidates: [{ content: { role: "model", parts }, index: 0, ...extra }],
      modelVersion: model,
      responseId: `r-${number}`,
      ...more,
    });
  return {
    start: () => [],
    text: (text) => [chunk([{ text }])],
    reasoning: (deltas) => deltas.map((text) => chunk([{ text, thought: true }])),
    // The protocol has no streamed arguments by default: a call comes whole.
    toolCall: ({ id, name, pieces }) => {
      const raw = pieces.join("");
      const call = `{"functionCall":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"args":${raw}},"thoughtSignature":"c2lnbmVk"}`;
      return [
        `data: {"candidates":[{"content":{"role":"model","parts":[${call}]},"index":0}],"modelVersion":${JSON.stringify(model)}}\n\n`,
      ];
    },
    error: (error) => [
      sse({ error: { code: Number(error.code ?? 500), message: error.message, status: error.type ?? "INTERNAL" } }),
    ],
    finish: (finish, usage) => {
      if (finish === "refusal")
        return [sse({ promptFeedback: { blockReason: "SAFETY" }, modelVersion: model, responseId: `r-${number}` })];
      const more = usage === null ? {} : { usageMetadata: usageFields(usage) };
      return [chunk([{ text: "" }], { finishReason: finishReason(finish) }, more)];
    },
  };
}

function finishReason(finish: Finish): string {
  if (finish === "length") return "MAX_TOKENS";
  return finish === "content-filter" ? "SAFETY" : "STOP";
}

function usageFields(usage: ReplyUsage): Fields {
  const thoughts = usage.reasoning ?? 0;
  return {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached ?? 0,
    candidatesTokenCount: usage.output - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: usage.input + usage.output,
  };
}
