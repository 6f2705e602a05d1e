/** What goes wrong in a way that only one protocol has. */
import type { ProtocolName } from "../model-server/index.ts";
import { error, type Fault } from "./fault.ts";
import { now } from "./setup.ts";

export const protocolFaults: { readonly [Name in ProtocolName]: readonly Fault[] } = {
  openai: [
    [
      "an exhausted quota, which is a 429",
      "provider_quota",
      error(429, "You exceeded your current quota.", { type: "insufficient_quota", code: "insufficient_quota" }),
    ],
    [
      "a context too long",
      "context_too_large",
      error(400, "Your input exceeds the context window of this model.", { code: "context_length_exceeded" }),
    ],
    [
      "an unknown model by its code",
      "model_not_found",
      error(400, "The requested model 'x' does not exist.", { code: "model_not_found" }),
    ],
    [
      "limits in headers",
      "provider_rate_limit",
      error(429, "Rate limit reached.", {
        headers: {
          "x-ratelimit-remaining-requests": "0",
          "x-ratelimit-reset-requests": "1m30.5s",
          "x-ratelimit-remaining-tokens": "900",
          "x-ratelimit-reset-tokens": "9h",
        },
      }),
      now + 90_500,
    ],
    [
      "a refused prompt",
      "answer_filtered",
      error(400, "Invalid prompt: flagged.", { code: "content_policy_violation" }),
    ],
    [
      "an overload in the stream",
      "provider_overloaded",
      { parts: [{ type: "error", error: { message: "Busy.", code: "server_is_overloaded" } }] },
    ],
    [
      "a limit in the stream",
      "provider_rate_limit",
      {
        parts: [
          { type: "text", text: "H" },
          { type: "error", error: { message: "Too fast.", code: "rate_limit_exceeded" } },
        ],
      },
    ],
  ],
  "openai-compatible": [
    [
      "a context too long, by llama.cpp",
      "context_too_large",
      error(400, "the request exceeds the available context size", { type: "exceed_context_size_error" }),
    ],
    [
      "a context too long, by vLLM",
      "context_too_large",
      error(400, "This model's maximum context length is 4096 tokens."),
    ],
    ["an error as plain text", "provider_rejected", { status: 400, body: "no such option" }],
    [
      "an error as Ollama has it",
      "model_not_found",
      { status: 404, body: '{"error":"model \\"x\\" not found, try pulling it first"}' },
    ],
    [
      "an unsupported model, which is a 401",
      "model_not_found",
      error(401, "Model x is not supported", { type: "ModelError" }),
    ],
  ],
  anthropic: [
    ["a context too long", "context_too_large", error(400, "prompt is too long: 250000 tokens > 200000 maximum")],
    ["an empty purse", "provider_quota", error(400, "Your credit balance is too low to access the Anthropic API.")],
    [
      "an overload in the stream",
      "provider_overloaded",
      {
        parts: [
          { type: "text", text: "H" },
          { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        ],
      },
    ],
    [
      "an overload at the start",
      "provider_overloaded",
      { parts: [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }] },
    ],
    [
      "limits in headers",
      "provider_rate_limit",
      error(429, "Limit.", {
        headers: {
          "anthropic-ratelimit-requests-remaining": "0",
          "anthropic-ratelimit-requests-reset": new Date(now + 42_000).toISOString(),
        },
      }),
      now + 42_000,
    ],
  ],
  gemini: [
    ["a wrong key, which is a 400", "provider_auth", error(400, "API key not valid. Please pass a valid API key.")],
    [
      "a context too long",
      "context_too_large",
      error(400, "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."),
    ],
    [
      "an exhausted quota",
      "provider_quota",
      error(429, "You exceeded your current quota, please check your plan and billing details."),
    ],
    [
      "a limit with its delay in the body",
      "provider_rate_limit",
      {
        status: 429,
        body: JSON.stringify({
          error: {
            code: 429,
            message: "You exceeded your current quota.",
            status: "RESOURCE_EXHAUSTED",
            details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }],
          },
        }),
      },
      now + 34_070,
    ],
    [
      "an overload in the stream",
      "provider_overloaded",
      { parts: [{ type: "error", error: { type: "UNAVAILABLE", message: "Overloaded", code: "503" } }] },
    ],
  ],
};
