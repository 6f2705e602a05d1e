import { expect, test } from "bun:test";
import type { Reply } from "../model-server/index.ts";
import { answeredSession, openHome, say, sessionOf } from "./home.ts";

test("§8.8 with nothing configured the message is saved, the run fails no_model and points to setup; then it goes on", async () => {
  await using home = await openHome([say("Now.")], { provider: null });
  const first = await home.poppet("chat", "new", "Hi");
  expect([first.code, first.stdout]).toEqual([1, ""]);
  expect(first.stderr).toMatch(/\npoppet: No model is chosen yet\. [^\n]*poppet setup[^\n]*\n$/);
  const id = sessionOf(first.stderr);
  expect(await home.show(id)).toMatchObject({
    session: { provider: null, model: null },
    messages: [{ role: "user", text: "Hi" }],
    runs: [{ state: "failed", error: { code: "no_model" }, provider: null, model: null }],
  });
  const url = home.server.baseUrl("openai-compatible");
  const setup = await home.poppet("setup", "--provider", "openai-compatible", "--model", "m", "--base-url", url);
  expect(setup.code).toBe(0);
  expect((await home.poppet("chat", "send", id, "And now?")).stdout).toBe("Now.\n");
  expect((await home.show(id)).session).toMatchObject({ provider: "openai-compatible", model: "m" });
});

test.each(["two words", "line\nbreak", "ключ"])(
  "C11 the key %j in the environment is no key: that is said, nothing is sent",
  async (key) => {
    const env = { POPPET_PROVIDER: "openai", POPPET_MODEL: "m", OPENAI_API_KEY: key };
    await using home = await openHome([], { env });
    for (const given of [["chat", "new", "Hi"], ["doctor"]]) {
      const { code, stdout, stderr } = await home.poppet(...given);
      expect([code, stdout.includes(key), stderr.includes(key)]).toEqual([1, false, false]);
      expect(stdout + stderr).toContain(
        "OpenAI's API key has spaces, line breaks or letters that no key has. Copy it again",
      );
    }
  },
);

test("C15 opencode-go without --coding is wrong usage and saves nothing; with it the session is for coding", async () => {
  const env = { POPPET_PROVIDER: "opencode-go", POPPET_MODEL: "glm-5.3", OPENCODE_API_KEY: "k" };
  await using home = await openHome([say("ok")], { env });
  const refused = await home.poppet("chat", "new", "Hi");
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^poppet: opencode-go is for coding only: use [^\n]*--coding[^\n]*\n$/);
  expect(JSON.parse((await home.poppet("chat", "sessions")).stdout)).toEqual({ sessions: [] });
  const url = home.server.baseUrl("openai-compatible");
  await Bun.write(home.config, `[providers.opencode-go]\nbaseUrl = "${url}"\n`);
  const taken = await home.poppet("chat", "new", "-coding", "Hi");
  expect([taken.code, taken.stdout]).toEqual([0, "ok\n"]);
  expect((await home.show(sessionOf(taken.stderr))).session).toMatchObject({
    ...{ provider: "opencode-go", model: "glm-5.3", workload: "coding" },
  });
});

test("C15 a session keeps its provider, model and workload; a new one takes the environment's over the file's", async () => {
  await using home = await openHome({ replies: [say("ok")], afterLast: "repeat" });
  const id = await answeredSession(home);
  const env = { POPPET_PROVIDER: "anthropic", POPPET_MODEL: "claude-x", ANTHROPIC_API_KEY: "k" };
  await using kept = home.start(["chat", "send", id, "Still?"], { env });
  expect((await kept.ended()).code).toBe(0);
  expect(home.server.requests[1]).toMatchObject({ protocol: "openai-compatible", body: { model: "test-model" } });
  await Bun.write(
    home.config,
    `${await Bun.file(home.config).text()}\n[providers.anthropic]\nbaseUrl = "${home.server.baseUrl("anthropic")}"\n`,
  );
  await using fresh = home.start(["chat", "new", "Hi"], { env });
  const { code, stderr } = await fresh.ended();
  expect(code).toBe(0);
  expect(home.server.requests[2]).toMatchObject({ protocol: "anthropic", body: { model: "claude-x" } });
  expect((await home.show(sessionOf(stderr))).session).toMatchObject({ provider: "anthropic", model: "claude-x" });
});

const endings: readonly (readonly [string, Reply, string | null])[] = [
  ["stop", say("Done."), null],
  ["length", { ...say("Too lo"), finish: "length" }, "answer_truncated"],
  ["a content filter", { ...say("No"), finish: "content-filter" }, "answer_filtered"],
  ["no finish", { ...say("Half"), finish: null }, "answer_unfinished"],
  ["no text", { parts: [] }, "answer_empty"],
  ["blank text", say(" \n"), "answer_empty"],
  [
    "an error in the stream",
    {
      parts: [
        { type: "text", text: "H" },
        { type: "error", error: { message: "boom" } },
      ],
    },
    "provider_server",
  ],
  ["overload", { status: 503, body: { error: { message: "busy" } } }, "provider_overloaded"],
  [
    "a rate limit",
    { status: 429, body: { error: { message: "slow down" } }, headers: { "retry-after": "30" } },
    "provider_rate_limit",
  ],
  [
    "a web page",
    { status: 200, body: "<html>Log in</html>", headers: { "content-type": "text/html" } },
    "provider_malformed",
  ],
];

test.each(endings)("§8.6 C11 an answer that ends with %s", async (_, reply, error) => {
  await using home = await openHome([reply]);
  const { code, stderr } = await home.poppet("chat", "new", "Hi");
  const { runs, messages } = await home.show(sessionOf(stderr));
  expect(runs).toMatchObject([{ state: error === null ? "completed" : "failed", error: error && { code: error } }]);
  expect([code, messages.length]).toEqual(error === null ? [0, 2] : [1, 1]);
  expect(home.server.requests).toHaveLength(1);
  if (error !== null) expect(stderr).toMatch(/\npoppet: [^\n]+\n$/);
});

test("C11 a failed message stays visible and is left out of what the model sees next", async () => {
  await using home = await openHome([say("One."), { status: 500 }, say("Three.")]);
  const id = sessionOf((await home.poppet("chat", "new", "first")).stderr);
  expect((await home.poppet("chat", "send", id, "second")).code).toBe(1);
  expect((await home.poppet("chat", "send", id, "third")).stdout).toBe("Three.\n");
  const sent = JSON.stringify(home.server.requests[2]?.body);
  expect(sent).toMatch(/first.*One.*third/);
  expect(sent).not.toContain("second");
  expect((await home.show(id)).messages.map((one) => one.text)).toEqual(["first", "One.", "second", "third", "Three."]);
});

test("C12 limits are settings and inclusive; a run that passes one fails and says which", async () => {
  const settings = "\n[limits]\nanswerBytes = 10\n";
  await using home = await openHome([say("0123456789"), say("0123456789", "x")], { settings });
  expect(await home.poppet("chat", "new", "at")).toMatchObject({ code: 0, stdout: "0123456789\n" });
  const over = await home.poppet("chat", "new", "over");
  expect(over.code).toBe(1);
  expect(over.stderr).toContain("answerBytes");
  expect((await home.show(sessionOf(over.stderr))).runs).toMatchObject([{ error: { code: "answer_too_large" } }]);
});

const call = { type: "tool-call", id: "c1", name: "poppet_nothing", input: {} } as const;
const limits: readonly (readonly [string, Reply, string])[] = [
  ["runMs = 200", { parts: [{ type: "text", text: "Half" }, { type: "stall" }] }, "turn_deadline"],
  ["recordBytes = 10", say("01234567890"), "record_too_large"],
  ["steps = 2", { parts: [call] }, "step_limit"],
  ["toolCalls = 1", { parts: [call, { ...call, id: "c2" }] }, "tool_call_limit"],
];

test.each(limits)("C12 [limits] %s ends the run", async (setting, reply, code) => {
  await using home = await openHome(
    { replies: [reply], afterLast: "repeat" },
    { settings: `\n[limits]\n${setting}\n` },
  );
  const ended = await home.poppet("chat", "new", "Hi");
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/\npoppet: [^\n]+\n$/);
  expect((await home.show(sessionOf(ended.stderr))).runs).toMatchObject([{ state: "failed", error: { code } }]);
});

test("C12 §8.7 the limit of a request holds for a service, and not for a server of one's own", async () => {
  // The run's own limit leaves room for a busy machine to open the model and send the request.
  for (const [provider, runMs, code] of [
    ["anthropic", 60_000, "request_deadline"],
    ["openai-compatible", 3_000, "turn_deadline"],
  ] as const) {
    const settings = `\n[limits]\nrequestMs = 100\nrunMs = ${runMs}\n`;
    await using home = await openHome([{ parts: [{ type: "stall" }] }], { provider, settings });
    const late = await home.poppet("chat", "new", "Hi");
    expect((await home.show(sessionOf(late.stderr))).runs).toMatchObject([{ state: "failed", error: { code } }]);
    expect(await (await home.server.request(1)).over).toBe("client");
  }
});

test("C12 §8.7 a provider that is silent past its deadline fails the run, and its connection is closed", async () => {
  const settings = "requestMs = 100\n";
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, { type: "stall" }] }], { settings });
  const late = await home.poppet("chat", "new", "Hi");
  expect([late.code, late.stdout]).toEqual([1, "Half"]);
  expect(await (await home.server.request(1)).over).toBe("client");
  expect((await home.show(sessionOf(late.stderr))).runs).toMatchObject([
    { state: "failed", error: { code: "request_deadline" } },
  ]);
});

test("C13 a message of 5 MB is saved whole, fails by how much it is too large, and the session goes on", async () => {
  await using home = await openHome([say("Small again.")]);
  const text = "ü".repeat(2_500_000);
  await using child = home.start(["chat", "new"], { stdin: text });
  const { code, stdout, stderr } = await child.ended();
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/\npoppet: [^\n]*\d{3}[^\n]*\n$/);
  const id = sessionOf(stderr);
  const { messages, runs } = await home.show(id);
  expect(messages[0]?.text === text).toBe(true);
  expect(runs).toMatchObject([{ state: "failed", error: { code: "context_overflow" } }]);
  expect(home.server.requests).toHaveLength(0);
  expect((await home.poppet("chat", "send", id, "short")).stdout).toBe("Small again.\n");
});

test("C13 a context is trimmed to the newest whole exchanges; what is saved is not", async () => {
  await using home = await openHome([say("A1"), say("A2"), say("A3")], {
    settings: "\n[limits]\ncontextExchanges = 1\n",
  });
  const id = sessionOf((await home.poppet("chat", "new", "Q1")).stderr);
  await home.poppet("chat", "send", id, "Q2");
  await home.poppet("chat", "send", id, "Q3");
  const sent = JSON.stringify(home.server.requests[2]?.body);
  expect([sent.includes("Q1"), sent.includes("A2"), sent.includes("Q3")]).toEqual([false, true, true]);
  const shown = await home.show(id);
  expect(shown.messages).toHaveLength(6);
  expect(shown.session.contextStart).toBe(shown.messages[4]?.id ?? "");
});
