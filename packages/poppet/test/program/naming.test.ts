/** Titles by the model, as a person meets them: what is sent, what is waited for, and what stands on the screen. */
import { expect, test } from "bun:test";
import type { Reply } from "../model-server/index.ts";
import { type Home, openHome, say, sessionOf } from "./home.ts";

const naming = { naming: true } as const;
const prompt = "Plan the weekly review";

function gatedTitle(...text: readonly string[]): Reply {
  return {
    parts: [
      { type: "gate", name: "title" },
      { type: "text", text },
    ],
  };
}

/** The session of a run, as `chat show` has it. */
async function sessionIn(home: Home, output: string) {
  return (await home.show(sessionOf(output))).session;
}

test("C9 the answer is out before the title is asked for; nothing is said of it where stderr is no terminal", async () => {
  await using home = await openHome([say("An answer."), gatedTitle('Title: "Weekly', ' review"')], naming);
  await using child = home.start(["chat", "new", prompt]);
  const request = await home.server.request(2);
  await child.stdout.until("An answer.\n");
  expect(request.body.tools).toBeUndefined();
  expect(JSON.stringify(request.body)).toContain(prompt);
  expect(JSON.stringify(request.body)).not.toContain("An answer.");
  home.server.open("title");
  const { code, stdout, stderr } = await child.ended();
  expect([code, stdout]).toEqual([0, "An answer.\n"]);
  expect(stderr).toMatch(/^session \S+\nrun \S+\n$/);
  expect(await sessionIn(home, stderr)).toMatchObject({
    ...{ title: "Weekly review", titleSource: "model", namingAttempted: true },
    titleUsage: { inputTokens: 11, outputTokens: 7, totalTokens: 18, reasoningTokens: 0, cachedInputTokens: 0 },
  });
  expect((await home.show(sessionOf(stderr))).runs).toHaveLength(1);
});

test("C9 a title comes once: the next message asks for none, and is sent none", async () => {
  await using home = await openHome([say("One."), say("Weekly review"), say("Two.")], naming);
  const first = await home.poppet("chat", "new", prompt);
  const second = await home.poppet("chat", "send", sessionOf(first.stderr), "And then?");
  expect([second.code, second.stdout]).toEqual([0, "Two.\n"]);
  expect(home.server.requests).toHaveLength(3);
  expect(JSON.stringify(home.server.requests[2]?.body)).not.toContain("Weekly review");
});

test("C9 a first answer that failed is not named; the first that completes is", async () => {
  await using home = await openHome([{ status: 500 }, say("One."), say("Weekly review")], naming);
  const failed = await home.poppet("chat", "new", prompt);
  expect([failed.code, home.server.requests.length]).toEqual([1, 1]);
  const sent = await home.poppet("chat", "send", sessionOf(failed.stderr), "Again");
  expect([sent.code, sent.stdout]).toEqual([0, "One.\n"]);
  expect(await sessionIn(home, failed.stderr)).toMatchObject({ title: "Weekly review", titleSource: "model" });
});

test.each<readonly [string, Reply]>([
  ["an error of the provider", { status: 401, body: { error: { message: "no" } } }],
  ["a connection that is cut", { parts: [{ type: "text", text: "Week" }, { type: "cut" }] }],
  ["a refusal", say("I'm sorry, I can't do that.")],
])("C9 %s keeps the first title, is not told, and is no failure", async (_name, reply) => {
  await using home = await openHome([say("An answer."), reply], naming);
  const { code, stdout, stderr } = await home.poppet("chat", "new", prompt);
  expect([code, stdout]).toEqual([0, "An answer.\n"]);
  expect(stderr).toMatch(/^session \S+\nrun \S+\n$/);
  expect(home.server.requests).toHaveLength(2);
  expect(await sessionIn(home, stderr)).toMatchObject({ title: prompt, titleSource: "prompt", namingAttempted: true });
});

test("C9 a rename by another process during the request wins", async () => {
  await using home = await openHome([say("An answer."), gatedTitle("Weekly review")], naming);
  await using child = home.start(["chat", "new", prompt]);
  await home.server.request(2);
  await child.stderr.until("run ");
  expect((await home.poppet("chat", "rename", sessionOf(child.stderr.text()), "Mine")).code).toBe(0);
  home.server.open("title");
  const { code, stderr } = await child.ended();
  expect(code).toBe(0);
  expect(await sessionIn(home, stderr)).toMatchObject({ title: "Mine", titleSource: "user", namingAttempted: true });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "C9 %s ends the wait at once: the answer is whole, exit 0",
  async (signal) => {
    await using home = await openHome([say("An answer."), { connection: "silent" }], naming);
    await using child = home.start(["chat", "new", prompt]);
    const request = await home.server.request(2);
    child.kill(signal);
    const { code, stdout, stderr } = await child.ended();
    expect([code, stdout]).toEqual([0, "An answer.\n"]);
    expect(stderr).toMatch(/^session \S+\nrun \S+\n$/);
    expect(await request.over).toBe("client");
    const { session, runs } = await home.show(sessionOf(stderr));
    expect(session).toMatchObject({ title: prompt, titleSource: "prompt", namingAttempted: true, titleUsage: null });
    expect(runs).toMatchObject([{ state: "completed", output: "An answer." }]);
  },
);

test("C9 a reader of stdout that goes ends the wait: it has had the answer, exit 0", async () => {
  await using home = await openHome([say("An answer."), { connection: "silent" }], naming);
  await using piped = home.shell(`{ "$@"; echo "exit $?" >&2; } | head -1`, "chat", "new", prompt);
  const { stdout, stderr } = await piped.ended();
  expect(stdout).toBe("An answer.\n");
  expect(stderr).toEndWith("exit 0\n");
});

test("C9 with chat.nameSessions = false there is one request, and the first title", async () => {
  await using home = await openHome([say("An answer.")], {
    settings: "\n[chat]\nnameSessions = false\n",
    naming: true,
  });
  const { code, stderr } = await home.poppet("chat", "new", prompt);
  expect([code, home.server.requests.length]).toEqual([0, 1]);
  expect(await sessionIn(home, stderr)).toMatchObject({ title: prompt, namingAttempted: false });
});

test("C9 on a terminal a dim line says what is waited for, and is gone afterwards", async () => {
  await using home = await openHome([say("An answer."), gatedTitle("Weekly review")], naming);
  await using pty = home.terminal(["chat", "new", prompt]);
  await pty.until("\x1b[2mNaming this conversation…\x1b[0m");
  expect(await pty.screen()).toMatch(/^session \S+\nrun \S+\nAn answer\.\nNaming this conversation…$/);
  home.server.open("title");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toMatch(/^session \S+\nrun \S+\nAn answer\.$/);
  expect(await sessionIn(home, pty.raw())).toMatchObject({ title: "Weekly review" });
});

test("C9 Ctrl-C at that line takes it away and leaves at once, exit 0", async () => {
  await using home = await openHome([say("An answer."), { connection: "silent" }], naming);
  await using pty = home.terminal(["chat", "new", prompt], { columns: 12 });
  await pty.until("Naming");
  pty.type("\x03");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toEndWith("An answer.");
});

test("C9 Ctrl-C before that line is there leaves nothing on the screen either", async () => {
  await using home = await openHome([say("An answer."), { connection: "silent" }], naming);
  await using pty = home.terminal(["chat", "new", prompt]);
  await pty.until("An answer.");
  await home.server.request(2);
  pty.type("\x03");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toEndWith("An answer.");
});

test("C9 without colours it is plain; on a dumb terminal there is none", async () => {
  await using home = await openHome([say("An answer."), gatedTitle("Weekly review")], naming);
  await using plain = home.terminal(["chat", "new", prompt], { env: { NO_COLOR: "1" } });
  await plain.until("Naming this conversation…");
  expect(plain.raw()).not.toMatch(/\x1b\[[\d;]*m/);
  home.server.open("title");
  expect(await plain.exited()).toBe(0);
  home.server.push(say("An answer."), { connection: "silent" });
  await using dumb = home.terminal(["chat", "new", prompt], { env: { TERM: "dumb" } });
  await home.server.request(4);
  dumb.type("\x03");
  expect(await dumb.exited()).toBe(0);
  expect(dumb.raw()).not.toContain("Naming");
});
