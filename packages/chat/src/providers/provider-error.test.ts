import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ChatError } from "../errors.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { providerError } from "./provider-error.ts";
import { safeWords } from "./provider-words.ts";
import { retryAt } from "./retry-at.ts";

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

describe("§7 a provider's words", () => {
  test("§7 no half of a secret is left where a long text is cut", () => {
    for (const before of [19_990, 299, 290]) {
      const words = safeWords(`${" ".repeat(before)}x hidden-word`, ["hidden-word"]);
      expect(words).not.toContain("hid");
    }
  });

  test.each([
    "sk-proj-abc123DEF456",
    "sk-ab***********wxyz",
    "sk-ant-api03-xyz_123",
    "AIzaSyA1234567890abcdefg",
    "gsk_abcdef123456",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
  ])("§7 %s does not pass", (key) => {
    for (const words of [
      `Incorrect API key provided: ${key}.`,
      `"x-api-key": "${key}"`,
      `Bearer ${key}`,
      `url?key=${key}&a=1`,
    ]) {
      const safe = safeWords(words, []);
      expect(safe).toContain("[key]");
      expect(safe).not.toContain(key.slice(4, 12));
    }
  });

  test("§7 headers and bearer tokens of no known shape do not pass", () => {
    expect(safeWords("Authorization: Bearer q1w2e3 rest", [])).not.toContain("q1w2e3");
    expect(safeWords("x-api-key: q1w2e3", [])).toBe("x-api-key: [key]");
    expect(safeWords('{"x-goog-api-key":"q1w2e3"}', [])).not.toContain("q1w2e3");
  });

  test("§7 a password in a URL does not pass, nor a key with something invisible in it", () => {
    expect(safeWords("at http://me:pass@host/v1", [])).toBe("at http://[key]@host/v1");
    expect(safeWords("q1w2\u200be3r4", ["q1w2e3r4"])).toBe("[key]");
    expect(safeWords("of two  words", ["two  words"])).toBe("of [key]");
  });

  test("§7 no secret passes, wherever it stands, also at the cut", () => {
    const secret = fc
      .string({ minLength: 6, maxLength: 40, unit: "grapheme-ascii" })
      .filter((s) => s.trim() === s && !"…[key]".includes(s));
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), secret, fc.string({ maxLength: 400 }), (before, key, after) => {
        const safe = safeWords(`${before}${key}${after}`, [key]);
        return !safe.includes(key) && !/[\u0000-\u001f\u007f-\u009f\u202e]/.test(safe) && [...safe].length <= 301;
      }),
    );
  });

  test("§7 control, bidi and escape sequences are gone, code points whole", () => {
    expect(safeWords("a\u001b[2J\u001b]0;title\u0007b\u202ec\u2028d\u0085e", [])).toBe("a bc d e");
    expect(safeWords("🐧".repeat(301), [])).toBe(`${"🐧".repeat(300)}…`);
  });
});

describe("P5 when to come back", () => {
  const at = (headers: Record<string, string>, delay: number | null = null) => {
    const told = retryAt(headers, delay, now);
    return told === null ? null : told - now;
  };
  test.each([
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": new Date(now - 5000).toUTCString() }, 0],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "99999999" }, null],
    [{ "retry-after-ms": "20", "retry-after": "9" }, 20],
    [{ "x-ratelimit-reset-tokens": "20ms" }, 20],
    [{ "x-ratelimit-reset-requests": "1h2m3s" }, 3_723_000],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "2s" }, 2000],
    [
      {
        "x-ratelimit-reset-requests": "9s",
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-reset-tokens": "2s",
        "x-ratelimit-remaining-tokens": "0",
      },
      2000,
    ],
    [{ "x-ratelimit-reset": String(now / 1000 + 30) }, 30_000],
    [{ "x-ratelimit-reset": String(now + 40) }, 40],
    [{ "anthropic-ratelimit-tokens-reset": new Date(now + 7000).toISOString() }, 7000],
    [{}, null],
  ] as const)("P5 %j is in %s ms", (headers, expected) => {
    expect(at(headers)).toBe(expected);
  });
  test("P5 a delay in the body counts where no header names a time", () => {
    expect(at({}, 34_000)).toBe(34_000);
    expect(at({ "retry-after": "1" }, 34_000)).toBe(1000);
  });
});

describe("§7 fetching from a provider", () => {
  const answering = (response: Response) => guardedFetch("Acme", async () => response);

  test("§7 a redirect is an error that names the host, and nothing is sent there", async () => {
    const inits: (RequestInit | undefined)[] = [];
    const fetch = guardedFetch("Acme", async (_input, init) => {
      inits.push(init);
      return new Response("", { status: 308, headers: { location: "https://evil.example/?key=1" } });
    });
    const failure = await fetch("https://api.acme.example", { headers: { authorization: "Bearer x" } }).catch(
      (thrown) => thrown,
    );
    expect([failure.code, failure.details.status]).toEqual(["provider_rejected", 308]);
    expect(failure.message).toContain("to evil.example by Acme ");
    expect(inits.map((init) => init?.redirect)).toEqual(["manual"]);
  });

  test("§7 a redirect that repeats the key in the host does not get it into the error", async () => {
    const location = "https://Sesame-77.evil.example/";
    const away = async () => new Response("", { status: 308, headers: { location } });
    const failure = await guardedFetch("Acme", away, ["Sesame-77"])("https://a.example").catch((thrown) => thrown);
    expect(failure.message).toContain("to [key].evil.example by Acme ");
  });

  test("§7 a good answer streams through; of an error's body only the beginning is read", async () => {
    const good = new Response("good", { headers: { "x-request-id": "1" } });
    const answered = await answering(good)("https://a.example");
    expect([answered.headers.get("x-request-id"), await answered.text()]).toEqual(["1", "good"]);
    const bad = await answering(new Response("x".repeat(1_000_000), { status: 500, headers: { "retry-after": "3" } }))(
      "https://a.example",
    );
    expect([bad.status, bad.headers.get("retry-after"), (await bad.text()).length]).toEqual([500, "3", 65_536]);
  });

  test("§7 an event that never ends is not read for long, and many events are", async () => {
    const streamed = (chunk: Uint8Array) => {
      let sent = 0;
      let cancelled = false;
      const stream = new ReadableStream({
        pull(controller) {
          if (sent++ === 40) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: () => {
          cancelled = true;
        },
      });
      return { response: new Response(stream), state: () => ({ sent, cancelled }) };
    };
    const endless = streamed(new Uint8Array(1_048_576).fill(120));
    const failure = await (await answering(endless.response)("https://a.example")).text().catch((thrown) => thrown);
    expect([failure.code, failure.details.limit]).toEqual(["provider_malformed", 16_777_216]);
    expect(endless.state().sent).toBeLessThan(20);
    expect(endless.state().cancelled).toBe(true);
    const many = streamed(new TextEncoder().encode(`data: ${"x".repeat(1_048_576)}\n\n`));
    expect((await (await answering(many.response)("https://a.example")).text()).length).toBe(40 * 1_048_584);
  });

  test("§7 an error's body that never ends is not waited for", async () => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      controller.enqueue(new Uint8Array(70_000));
    const endless = new Response(new ReadableStream({ start }), { status: 500 });
    expect((await (await answering(endless)("https://a.example")).text()).length).toBe(65_536);
  });
});
