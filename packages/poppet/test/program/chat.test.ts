import { expect, test } from "bun:test";
import { answeredSession, openHome, say, sessionOf } from "./home.ts";

test("C1 C2 a newcomer asks, goes on, lists and shows: everything is there, in its shape", async () => {
  await using home = await openHome([say("Par", "is."), say("Rome.")]);
  const first = await home.poppet("chat", "new", "Capital of France?");
  expect([first.code, first.stdout]).toEqual([0, "Paris.\n"]);
  expect(first.stderr).toMatch(/^session [0-9a-f-]{36}\nrun [0-9a-f-]{36}\n$/);
  const id = sessionOf(first.stderr);
  const second = await home.poppet("chat", "send", id, "And of Italy?");
  expect([second.code, second.stdout]).toEqual([0, "Rome.\n"]);
  expect(sessionOf(second.stderr)).toBe(id);
  expect(home.server.requests[1]?.body.messages).toMatchObject([
    { role: "system" },
    { role: "user", content: "Capital of France?" },
    { role: "assistant", content: "Paris." },
    { role: "user", content: "And of Italy?" },
  ]);

  const session = {
    ...{ id, title: "Capital of France?", titleSource: "prompt", namingAttempted: false, titleUsage: null },
    ...{ provider: "openai-compatible", model: "test-model", workload: "general", agent: "main", skill: null },
    ...{ project: null, channel: "cli", parent: null, archived: false },
    ...{ createdAt: expect.any(Number), updatedAt: expect.any(Number) },
  };
  const listed = await home.poppet("chat", "sessions");
  expect(JSON.parse(listed.stdout)).toEqual({ sessions: [session] });
  const shown = await home.show(id);
  const [asked, answered] = shown.messages;
  expect(shown.session).toEqual({ ...session, contextStart: asked?.id, compactions: 0 } as never);
  expect(shown.messages.map(({ role, text }) => [role, text])).toEqual([
    ["user", "Capital of France?"],
    ["assistant", "Paris."],
    ["user", "And of Italy?"],
    ["assistant", "Rome."],
  ]);
  expect(answered).toEqual({
    ...{ id: expect.any(String), role: "assistant", text: "Paris.", createdAt: expect.any(Number), attachments: [] },
    runId: shown.runs[0]?.id ?? "",
  });
  expect(shown.runs[0]).toEqual({
    ...{ id: expect.any(String), state: "completed", error: null, output: "Paris.", toolCalls: [] },
    usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18, reasoningTokens: 0, cachedInputTokens: 0 },
    ...{ provider: "openai-compatible", model: "test-model" },
    ...{ startedAt: expect.any(Number), finishedAt: expect.any(Number) },
  });
});

test("C2 sessions come newest activity first, and a limit cuts the list", async () => {
  await using home = await openHome();
  const a = await answeredSession(home, "a");
  const b = await answeredSession(home, "b");
  home.server.push(say("again"));
  await home.poppet("chat", "send", a, "more");
  const ids = async (...flags: string[]) =>
    JSON.parse((await home.poppet("chat", "sessions", ...flags)).stdout).sessions.map((one: { id: string }) => one.id);
  expect(await ids()).toEqual([a, b]);
  expect(await ids("-limit", "1")).toEqual([a]);
});

test("C2 C9 C10 listing, showing, searching and renaming need no model", async () => {
  await using home = await openHome();
  const id = await answeredSession(home, "Where is the harbour?", "Down the hill.");
  await Bun.write(home.config, "");
  expect((await home.poppet("chat", "sessions")).code).toBe(0);
  expect((await home.show(id)).messages).toHaveLength(2);
  expect((await home.search("harbour")).matches).toHaveLength(1);
  expect((await home.poppet("chat", "rename", id, "Harbour")).code).toBe(0);
  expect(home.server.requests).toHaveLength(1);
});

test("C2 an empty home has no sessions, and listing, showing and searching it are no failure of their own", async () => {
  await using home = await openHome([], { provider: null });
  expect(await home.poppet("chat", "sessions")).toEqual({ code: 0, stdout: '{"sessions":[]}\n', stderr: "" });
  expect((await home.poppet("chat", "search", "x")).stdout).toBe('{"matches":[],"truncated":false}\n');
  expect((await home.poppet("chat", "show", "x")).code).toBe(1);
});

test("C2 chat show goes through jq", async () => {
  await using home = await openHome();
  const id = await answeredSession(home, "Hi", 'quoted "text"\nand \t more');
  await using piped = home.shell(`"$@" | jq -r '.messages[1].text'`, "chat", "show", id);
  expect(await piped.ended()).toEqual({ code: 0, stdout: 'quoted "text"\nand \t more\n', stderr: "" });
});

test("C9 a title is the first prompt on one line, at most 80 code points, saved before the answer", async () => {
  await using home = await openHome([{ parts: [{ type: "stall" }] }]);
  const prompt = `  Two\n\tlines\x07 and ${"😀".repeat(100)}`;
  await using child = home.start(["chat", "new", prompt]);
  await home.server.request(1);
  const [session] = JSON.parse((await home.poppet("chat", "sessions")).stdout).sessions;
  expect(session.title).toStartWith("Two lines and 😀😀");
  expect([...session.title]).toHaveLength(80);
  child.kill("SIGINT");
  expect((await child.ended()).code).toBe(130);
});

test("C9 a new name stays, and changes neither activity nor order", async () => {
  await using home = await openHome();
  const a = await answeredSession(home, "a");
  const b = await answeredSession(home, "b");
  const before = (await home.show(a)).session.updatedAt;
  const renamed = await home.poppet("chat", "rename", a, "Weekly  project\nreview");
  expect(renamed).toEqual({ code: 0, stdout: "", stderr: `renamed ${a}: Weekly project review\n` });
  const { sessions } = JSON.parse((await home.poppet("chat", "sessions")).stdout);
  expect(sessions.map((one: { id: string }) => one.id)).toEqual([b, a]);
  expect(sessions[1]).toMatchObject({ title: "Weekly project review", titleSource: "user", updatedAt: before });
  expect((await home.poppet("chat", "rename", a, " \n")).code).toBe(2);
  expect((await home.show(a)).session.title).toBe("Weekly project review");
});

test("C10 search finds text and answers of completed runs only, every word, operators as text", async () => {
  await using home = await openHome();
  const id = await answeredSession(home, "The lighthouse keeper", "counts the ships OR boats.");
  home.server.push({ parts: [{ type: "text", text: "lighthouse partial" }], finish: null });
  expect((await home.poppet("chat", "new", "lighthouse failed")).code).toBe(1);
  const { matches, truncated } = await home.search("lighthouse keeper");
  expect(matches).toMatchObject([{ sessionId: id, role: "user", title: "The lighthouse keeper" }]);
  expect(truncated).toBe(false);
  expect((await home.search("lighthouse")).matches).toHaveLength(1);
  expect((await home.search("ships OR boats")).matches).toMatchObject([{ role: "assistant" }]);
  expect((await home.search("ships OR whales")).matches).toEqual([]);
  expect((await home.search("ship*")).matches).toEqual([]);
  expect((await home.search("?!")).matches).toEqual([]);
  for (const query of ["", " x", "x ", "y".repeat(257)]) {
    const { code, stdout, stderr } = await home.poppet("chat", "search", query);
    expect([code, stdout, stderr.match(/^poppet: [^\n]+\n$/) === null]).toEqual([2, "", false]);
  }
});

test("C10 at most ten matches, all within POPPET_TOOL_BYTES", async () => {
  await using home = await openHome({ replies: [say(`needle ${'hay "€" '.repeat(100)}`)], afterLast: "repeat" });
  for (let i = 0; i < 6; i++) await home.poppet("chat", "new", `needle ${i} ${"ünïcödé ".repeat(50)}`);
  const whole = await home.search("needle");
  expect([whole.matches.length, whole.truncated]).toEqual([10, true]);
  await using child = home.start(["chat", "search", "needle"], { env: { POPPET_TOOL_BYTES: "1024" } });
  const { stdout } = await child.ended();
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(1024);
  const cut = JSON.parse(stdout);
  expect(cut.truncated).toBe(true);
  expect(cut.matches.length).toBeGreaterThan(0);
});

test("C10 an index that is damaged or missing is made again by the search", async () => {
  await using home = await openHome();
  await answeredSession(home, "a lighthouse");
  await Bun.write(`${home.data}/search.db`, "garbage ".repeat(2_000));
  expect((await home.search("lighthouse")).matches).toHaveLength(1);
  await Bun.file(`${home.data}/search.db`).delete();
  expect((await home.search("lighthouse")).matches).toHaveLength(1);
});

test("C10 six searches at once over a damaged index repair it once and all find the same", async () => {
  await using home = await openHome();
  await answeredSession(home, "a lighthouse");
  await Bun.write(`${home.data}/search.db`, "garbage ".repeat(2_000));
  const found = await Promise.all(Array.from({ length: 6 }, () => home.search("lighthouse")));
  expect(found.map(({ matches }) => matches.length)).toEqual(Array(6).fill(1));
});
