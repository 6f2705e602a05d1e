/**
 * What goes wrong with providers, as each protocol says it, and the code that it is sorted into. For any test that wants
 * every fault over every protocol.
 */
import type { ChatErrorCode } from "@poppet/chat";
import type { ProtocolName, Reply } from "../model-server/index.ts";
import { apiKey, now } from "./setup.ts";

type Fault = readonly [name: string, code: ChatErrorCode, reply: Reply, retryAt?: number];

const error = (
  status: number,
  message: string,
  more: { type?: string; code?: string; headers?: Record<string, string> } = {},
): Reply => {
  const { headers, ...rest } = more;
  return { status, body: { error: { message, ...rest } }, ...(headers ? { headers } : {}) };
};
const raw = (...texts: string[]): Reply => ({ parts: texts.map((text) => ({ type: "raw", text })), finish: null });

/** Where a provider, or what stands before it, may repeat the key. */
const repeated: readonly Fault[] = [
  ["a key repeated in plain text", "provider_rejected", { status: 400, body: `Who is ${apiKey}?` }],
  ["a key repeated in codes", "provider_rejected", error(400, "No.", { type: `wrong ${apiKey}`, code: apiKey })],
  [
    "a key repeated in a page",
    "provider_server",
    { status: 502, body: `<html><title>Bad ${apiKey}</title></html>`, headers: { "content-type": "text/html" } },
  ],
  [
    "a key repeated in a redirect",
    "provider_rejected",
    { status: 302, headers: { location: `http://${apiKey}.evil.example/?key=${apiKey}` } },
  ],
  ["a key repeated in what is no event", "provider_malformed", raw(`data: {"${apiKey}\n\n`)],
  [
    "a key repeated in the answer's error",
    "provider_server",
    {
      parts: [
        { type: "text", text: "Half" },
        { type: "error", error: { message: `Lost ${encodeURIComponent(apiKey)} and ${apiKey}.` } },
      ],
    },
  ],
];

/** What goes wrong in the same way with every protocol. */
const common: readonly Fault[] = [
  ["a wrong key", "provider_auth", error(401, `Incorrect API key provided: ${apiKey}`)],
  ["a forbidden model", "provider_permission", error(403, "Your project may not use this model.")],
  ["an unknown model", "model_not_found", error(404, "The model does not exist.")],
  ["too many requests", "provider_rate_limit", error(429, "Slow down.")],
  [
    "retry-after in seconds",
    "provider_rate_limit",
    error(429, "Slow down.", { headers: { "retry-after": "7" } }),
    now + 7000,
  ],
  [
    "retry-after as a date",
    "provider_rate_limit",
    error(429, "Slow down.", { headers: { "retry-after": new Date(now + 90_000).toUTCString() } }),
    now + 90_000,
  ],
  [
    "retry-after-ms",
    "provider_rate_limit",
    error(429, "Slow down.", { headers: { "retry-after-ms": "1500" } }),
    now + 1500,
  ],
  ["a request too large", "context_too_large", error(413, "Request too large.")],
  ["an unknown parameter", "provider_rejected", error(400, "Unknown parameter: 'x'.")],
  ["no money", "provider_quota", error(402, "Insufficient balance.")],
  ["an overloaded service", "provider_overloaded", error(503, "Overloaded.")],
  [
    "an overloaded service, 529",
    "provider_overloaded",
    error(529, "Overloaded.", { headers: { "retry-after": "3" } }),
    now + 3000,
  ],
  ["a failed server", "provider_server", error(500, "Internal error.")],
  [
    "a failed server, in HTML",
    "provider_server",
    {
      status: 500,
      body: "<html><title>Oops</title><body>Stack trace</body></html>",
      headers: { "content-type": "text/html" },
    },
  ],
  ["a failed server, without words", "provider_server", { status: 502, body: "" }],
  ["a gateway's time-out", "request_deadline", error(504, "Upstream timed out.")],
  [
    "a redirect to another host",
    "provider_rejected",
    { status: 307, headers: { location: "http://evil.example/steal" } },
  ],
  ["an event that is not JSON", "provider_malformed", raw("data: {nonsense\n\n")],
  ["an event of another shape", "provider_malformed", raw('data: {"choices": 5, "type": 7, "candidates": "x"}\n\n')],
  [
    "a page instead of a stream",
    "provider_malformed",
    { status: 200, body: "<html>Log in</html>", headers: { "content-type": "text/html" } },
  ],
  ["half an event", "answer_unfinished", { parts: [{ type: "half-event", text: "Half" }, { type: "end" }] }],
  [
    "half an event after a whole one, then a cut",
    "answer_unfinished",
    { parts: [{ type: "text", text: "Whole" }, { type: "half-event", text: "Half" }, { type: "cut" }] },
  ],
  [
    "half an event in the middle",
    "provider_malformed",
    {
      parts: [
        { type: "half-event", text: "Half of a sentence" },
        { type: "text", text: "Rest" },
      ],
    },
  ],
  [
    "half a character, then a cut",
    "answer_unfinished",
    {
      parts: [
        { type: "text", text: "Whole" },
        { type: "raw", base64: Buffer.from('data: {"text": "\u00f0\u009f', "latin1").toString("base64") },
        { type: "cut" },
      ],
    },
  ],
  ["a connection closed without a byte", "provider_network", { connection: "closed" }],
  ["a connection reset without a byte", "provider_network", { connection: "reset" }],
  ["a connection reset before the answer", "answer_unfinished", { parts: [{ type: "reset" }] }],
  [
    "a connection reset in the answer",
    "answer_unfinished",
    { parts: [{ type: "text", text: "Half" }, { type: "reset" }] },
  ],
  ["an empty stream", "answer_unfinished", raw("")],
  ["a connection cut before the answer", "answer_unfinished", { parts: [{ type: "cut" }] }],
  ["a connection cut in the answer", "answer_unfinished", { parts: [{ type: "text", text: "Half" }, { type: "cut" }] }],
  [
    "a stream that ends in the answer",
    "answer_unfinished",
    { parts: [{ type: "text", text: "Half" }, { type: "end" }] },
  ],
  [
    "an error in the answer",
    "provider_server",
    {
      parts: [
        { type: "text", text: "Half" },
        { type: "error", error: { message: "It broke." } },
      ],
    },
  ],
];

const special: { readonly [Name in ProtocolName]: readonly Fault[] } = {
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

/** `[what goes wrong, its code, the server's reply, when to come back]`. */
export function faultsOf(provider: ProtocolName): readonly (readonly [string, ChatErrorCode, Reply, number | null])[] {
  const faults: readonly Fault[] = [...common, ...repeated, ...special[provider]];
  return faults.map(([name, code, reply, retryAt]) => [name, code, reply, retryAt ?? null]);
}
