/**
 * What goes wrong with providers, as each protocol says it, and the code that it is sorted into. For any test that wants
 * every fault over every protocol.
 */
import type { ChatErrorCode } from "@poppet/chat";
import { apiKey, type ProtocolName, type Reply } from "../model-server/index.ts";
import { error, type Fault, raw } from "./fault.ts";
import { protocolFaults } from "./protocol-faults.ts";
import { now } from "./setup.ts";

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

const body = (text: string) => ({ status: 200, body: text });

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
  [
    "half an event after a whole one",
    "answer_unfinished",
    { parts: [{ type: "text", text: "Whole" }, { type: "half-event", text: "Half" }, { type: "end" }] },
  ],
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
  ["an empty stream", "provider_malformed", { ...body(""), headers: { "content-type": "text/event-stream" } }],
  ["an empty body", "provider_malformed", body("")],
  [
    "JSON instead of a stream",
    "provider_malformed",
    { ...body('{"object":"list","data":[]}'), headers: { "content-type": "application/json" } },
  ],
  ["a page of no type instead of a stream", "provider_malformed", body("<html>\nLog in\n\n</html>")],
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

/** `[what goes wrong, its code, the server's reply, when to come back]`. */
export function faultsOf(provider: ProtocolName): readonly (readonly [string, ChatErrorCode, Reply, number | null])[] {
  const faults: readonly Fault[] = [...common, ...repeated, ...protocolFaults[provider]];
  return faults.map(([name, code, reply, retryAt]) => [name, code, reply, retryAt ?? null]);
}
