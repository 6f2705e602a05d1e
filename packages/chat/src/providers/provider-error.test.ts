import { describe, expect, test } from "bun:test";
import { ChatError } from "../errors.ts";
import { providerError } from "./provider-error.ts";

const now = Date.UTC(2026, 10, 30);
const context = {
  provider: "p",
  modelId: "m",
  label: "Acme",
  keyHint: "ACME_KEY",
  secrets: ["hidden-word"],
  now: () => now,
};
const codeOf = (thrown: unknown, started = false) => providerError(thrown, context, started).code;
const named = (name: string, fields: object = {}) => Object.assign(new Error("words"), { name, ...fields });

describe("C11 sorting what is thrown", () => {
  test.each([
    ["provider_not_configured", named("AI_LoadAPIKeyError")],
    ["model_not_found", named("AI_NoSuchModelError")],
    ["answer_empty", named("AI_EmptyResponseBodyError")],
    ["provider_malformed", named("AI_JSONParseError")],
    ["provider_malformed", named("AI_TypeValidationError")],
    ["provider_rejected", named("AI_InvalidArgumentError")],
    ["provider_rejected", named("AI_UnsupportedFunctionalityError")],
    ["provider_network", named("TypeError", { cause: { code: "ECONNREFUSED" } })],
    ["provider_network", named("Error", { code: "ENOTFOUND" })],
    ["provider_network", named("Error", { cause: named("Error", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }) })],
    ["answer_unfinished", named("AI_APICallError", { statusCode: 200, cause: { code: "ECONNRESET" } })],
    ["provider_network", named("AI_APICallError")],
    ["provider_network", Object.assign(new TypeError("error sending request for url"))],
    ["provider_auth", { statusCode: 401 }],
    ["answer_filtered", { statusCode: 403, responseBody: '{"error":{"code":"content_filter"}}' }],
    ["provider_rejected", { statusCode: 418 }],
    ["provider_rejected", { statusCode: 302 }],
    ["request_deadline", { statusCode: 408 }],
    ["provider_quota", { statusCode: 429, data: { error: { code: "insufficient_quota" } } }],
    ["provider_rate_limit", { statusCode: 429, responseBody: '[{"error":{"status":"RESOURCE_EXHAUSTED"}}]' }],
    ["provider_server", { statusCode: 599 }],
    ["provider_overloaded", { type: "overloaded_error", message: "Overloaded" }],
    ["provider_rate_limit", { type: "error", error: { type: "rate_limit_error", message: "Slow" } }],
    ["provider_overloaded", { message: "x", code: 503 }],
    ["provider_server", "a bare text"],
    ["provider_server", undefined],
    ["provider_server", null],
    ["provider_server", 42],
    ["provider_server", {}],
  ] as const)("C11 %#: %s", (code, thrown) => {
    expect(codeOf(thrown)).toBe(code);
  });

  test("C11 a connection that is lost after the answer began cut it off", () => {
    expect(codeOf(named("Error", { code: "ECONNRESET" }), true)).toBe("answer_unfinished");
  });

  test("C11 a connection that was made and then cut is not called out of reach", () => {
    const socket =
      "The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()";
    const { code, message } = providerError(Object.assign(new Error(socket), { code: "ECONNRESET" }), context);
    expect(code).toBe("provider_network");
    expect(message).toBe(
      'The connection to Acme was cut before its answer. Check the base URL, or try again. Reason: "The socket connection was closed unexpectedly."',
    );
    const away = named("Error", { code: "ConnectionRefused" });
    away.message = "Unable to connect. Is the computer able to access the url?";
    expect(providerError(away, context).message).toBe(
      'Acme cannot be reached. Check the network and the base URL. Reason: "Unable to connect."',
    );
  });

  test("C11 a ChatError passes as it is", () => {
    const own = new ChatError("provider_rejected", "mine");
    expect(providerError(own, context)).toBe(own);
  });

  test("C11 causes that go round are no trap", () => {
    const round: { cause?: unknown; message: string } = { message: "round" };
    round.cause = round;
    expect(codeOf(round)).toBe("provider_server");
  });

  test("C11 the message says what happened, what to do, and the provider's words", () => {
    const thrown = {
      statusCode: 401,
      responseBody: JSON.stringify({ error: { message: "Bad\n\u001b[31mkey\u0000 hidden-word" } }),
    };
    const { message, details } = providerError(thrown, context);
    expect(message).toBe('Acme refused the API key (HTTP 401). Check ACME_KEY. It said: "Bad key [key]"');
    expect(details).toEqual({ provider: "p", model: "m", status: 401 });
  });

  test("P5 a limit says until when", () => {
    const { message, details } = providerError({ statusCode: 429, responseHeaders: { "Retry-After": "60" } }, context);
    expect(details.retryAt).toBe(now + 60_000);
    expect(message).toContain("2026-11-30T00:01:00.000Z");
  });
});
