/** A back end in this process, for providers under test: it plays answers, and keeps what it was sent. */
import type { Json, ProviderErrorCode } from "../src/index.ts";
import type { BackEndAnswer } from "../src/testing/index.ts";

/** What it sends: pieces of an answer, or the failure in its own words. */
export type Part =
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "call"; readonly toolCallId: string; readonly toolName: string; readonly input: Json }
  | { readonly type: "end"; readonly finish: string; readonly usage: BackEndUsage | null };
export interface BackEndUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** As an HTTP error would be thrown. */
export class BackEndError extends Error {
  readonly statusCode: number;
  readonly responseHeaders: { readonly [name: string]: string };
  constructor(statusCode: number, says: string, retryAfterSeconds?: number) {
    super(says);
    this.statusCode = statusCode;
    this.responseHeaders = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  }
}

const statusOf: Partial<Record<ProviderErrorCode, number>> = {
  provider_auth: 401,
  provider_permission: 403,
  model_not_found: 404,
  provider_rate_limit: 429,
  provider_overloaded: 529,
  provider_server: 500,
};

export function backEnd(answers: readonly BackEndAnswer[]) {
  const bodies: string[] = [];
  const overs: PromiseWithResolvers<void>[] = [];
  const arrivals: PromiseWithResolvers<void>[] = [];
  const at = (list: PromiseWithResolvers<void>[], number: number) => {
    while (list.length < number) list.push(Promise.withResolvers<void>());
    return list[number - 1]?.promise;
  };

  return {
    async *ask(body: string, signal: AbortSignal): AsyncGenerator<Part> {
      const number = bodies.push(body);
      const answer = answers[number - 1] ?? { type: "failure", code: "provider_server", says: "no more answers" };
      at(arrivals, number);
      at(overs, number);
      arrivals[number - 1]?.resolve();
      const over = () => overs[number - 1]?.resolve();
      signal.addEventListener("abort", over);
      try {
        if (answer.type === "failure") {
          throw new BackEndError(statusOf[answer.code] ?? 400, answer.says, answer.retryAfterSeconds);
        }
        if (answer.type === "tool-call") {
          const { toolCallId, toolName, input } = answer;
          yield { type: "call", toolCallId, toolName, input };
          yield { type: "end", finish: "tool-calls", usage: null };
          return;
        }
        for (const text of answer.deltas) yield { type: "delta", text };
        if (answer.type === "stall") await left(signal);
        if (answer.type !== "text") return;
        yield { type: "end", finish: answer.finish ?? "stop", usage: answer.usage ?? null };
      } finally {
        if (answer.type !== "stall") over();
      }
    },
    requests: () => bodies.length,
    async request(number: number) {
      await at(arrivals, number);
      return bodies[number - 1] ?? "";
    },
    over: async (number: number) => at(overs, number),
  };
}
export type BackEnd = ReturnType<typeof backEnd>;

function left(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
