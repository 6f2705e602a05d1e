/** A conversation at the prompt: what is saved, what is shown, how it ends. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { say as answer, answeredSession, openHome } from "../../program/home.ts";
import { openPty } from "../../pty.ts";
import { emptyHome, scriptedProgram } from "../start.ts";
import { chosen, leave, openTalk, prompting, say, sessionsOf } from "./talk.ts";

const failure = { status: 500, body: { error: { message: "It fell over" } } } as const;

test("C3 several messages are one session, which is made by the first; on leaving it says how to come back", async () => {
  await using home = await openHome([answer("One."), answer("Two.")]);
  await using pty = openTalk(home);
  await pty.shows("New session with openai-compatible/test-model.");
  pty.type("\r");
  pty.type("   \r");
  await pty.shows(prompting);
  expect(await Bun.file(join(home.data, "poppet.db")).exists()).toBe(false);
  await say(pty, "first");
  await say(pty, "second");
  expect(await leave(pty)).toBe(0);
  const [session, ...others] = await sessionsOf(home);
  expect(others).toEqual([]);
  expect((await home.show(session?.id ?? "")).messages.map(({ text }) => text)).toEqual([
    "first",
    "One.",
    "second",
    "Two.",
  ]);
  expect(await pty.screen()).toBe(
    [
      "New session with openai-compatible/test-model. /help says what can be done here.",
      "",
      "You> first",
      "One.",
      "",
      "You> second",
      "Two.",
      "",
      "You> /exit",
      `Go on with: poppet chat interactive ${session?.id}`,
    ].join("\n"),
  );
});

test.each([
  ["/exit", "/exit", "\r", "You> /exit"],
  ["Ctrl-D on an empty line", "", "\x04", "You>"],
  ["Ctrl-C on an empty line", "", "\x03", "You>"],
  ["Ctrl-C in half a line", "half a li", "\x03", "You> half a li"],
])("C3 %s leaves the prompt: exit 0, and nothing was made", async (_name, typed, key, last) => {
  await using home = await openHome();
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type(typed);
  await pty.shows(last);
  pty.type(key);
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toEndWith(`\n${last}`);
  expect(await Bun.file(join(home.data, "poppet.db")).exists()).toBe(false);
});

test("C3 Ctrl-D in a line deletes, Ctrl-U clears", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("wrong\x15Xright\x01\x04\r");
  await pty.shows("You> right\nYes.");
  expect(await leave(pty)).toBe(0);
});

test("C3 on resume: which session, its latest exchange dimmed, and the next message goes on", async () => {
  await using home = await openHome();
  const session = await answeredSession(home, "Why is the sky blue?", "Rayleigh scattering.");
  home.server.push(answer("Because."));
  // By its beginning.
  await using pty = openTalk(home, [session.slice(0, 18)]);
  await pty.shows(prompting);
  expect(await pty.screen()).toBe(
    `Session ${session} (Why is the sky blue?) with\nopenai-compatible/test-model.\n\nYou> Why is the sky blue?\nRayleigh scattering.\n\nYou>`,
  );
  expect(pty.raw()).toContain("\x1b[2mRayleigh scattering.\x1b[0m");
  await say(pty, "Why?");
  expect(await leave(pty)).toBe(0);
  expect(JSON.stringify(home.server.requests.at(-1)?.body)).toContain("Rayleigh scattering.");
  expect(await sessionsOf(home)).toHaveLength(1);
});

test("C3 on resume a long answer is wrapped at words and shown by its end", async () => {
  await using home = await openHome();
  const words = Array.from({ length: 400 }, (_, i) => `word${i}`).join(" ");
  const session = await answeredSession(home, "Count", `${"x".repeat(5_000)}\n${words}`);
  await using pty = openTalk(home, [session], { columns: 40 });
  await pty.shows(prompting);
  const rows = (await pty.screen()).split("\n");
  const end = rows.slice(rows.indexOf("…") + 1, -2);
  expect(end).toHaveLength(12);
  expect(words).toEndWith(` ${end.join(" ")}`);
});

test("C3 C11 a failed turn is said in at most two lines, keeps the session, is not sent again, and the next goes on", async () => {
  await using home = await openHome([failure, answer("Better.")]);
  await using pty = openTalk(home);
  await say(pty, "first");
  expect(await pty.screen()).toMatch(/You> first\npoppet: [^\n]+\n(?:[^\n]+\n)?\nYou>$/);
  expect(home.server.requests).toHaveLength(1);
  await say(pty, "second");
  expect(await leave(pty)).toBe(0);
  const [session] = await sessionsOf(home);
  expect((await home.show(session?.id ?? "")).runs.map(({ state }) => state)).toEqual(["failed", "completed"]);
  expect(JSON.stringify(home.server.requests.at(-1)?.body)).not.toContain("first");
});

test("C3 §8.8 without a model it offers setup; who declines is told at the start and at each message, and goes on", async () => {
  await using home = await openHome([], { provider: null });
  await using pty = openTalk(home);
  await pty.shows("Set up now?");
  pty.type("n\r");
  await pty.shows("no model yet: see poppet setup");
  await say(pty, "hello");
  expect(await pty.screen()).toMatch(/poppet: .*poppet setup/);
  expect(await leave(pty)).toBe(0);
});

test("C6 C7 C8 --coding, --skill and --project make a session so, and the first line has them; /new makes the next so", async () => {
  await using home = await openHome([answer("One."), answer("Two.")]);
  await Bun.write(
    join(home.path, "skills/weekly/SKILL.md"),
    "---\nname: weekly\ndescription: d\n---\nAsk for the week.\n",
  );
  expect((await home.poppet("projects", "create", "acorn")).code).toBe(0);
  await using pty = openTalk(home, ["--coding", "--skill", "weekly", "--project", "acorn"], { columns: 200 });
  await pty.shows("New session with openai-compatible/test-model, coding, skill weekly, project acorn.");
  await say(pty, "hello");
  await say(pty, "/new");
  await say(pty, "again");
  expect(await leave(pty)).toBe(0);
  const sessions = await sessionsOf(home);
  expect(sessions).toHaveLength(2);
  for (const { id } of sessions) {
    expect((await home.show(id)).session).toMatchObject({
      ...{ workload: "coding", skill: { name: "weekly" }, project: { name: "acorn" } },
    });
  }
  await using resumed = openTalk(home, [sessions[0]?.id ?? ""], { columns: 200 });
  await resumed.shows("with openai-compatible/test-model, coding, skill weekly, project acorn.");
});

test.each([[["--coding"]], [["--skill", "weekly"]], [["--project", "acorn"]]])(
  "C8 %j with an ID is refused",
  async (flags) => {
    await using home = await openHome();
    const refused = await home.poppet("chat", "interactive", ...flags, "01a22e8a");
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("leave out --coding") });
  },
);

test("C8 a skill that is not there is said before anything is asked", async () => {
  await using home = await openHome();
  await using pty = openTalk(home, ["--skill", "nope"]);
  expect(await pty.exited()).toBe(2);
  expect(await pty.screen()).toMatch(/^poppet: .*nope/);
});

test("C3 §8.8 what can never make a session ends the talk at its first message: exit 2", async () => {
  await using home = await openHome([], { env: { POPPET_PROVIDER: "opencode-go", POPPET_MODEL: "glm-5" } });
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("hello\r");
  expect(await pty.exited()).toBe(2);
  expect(await pty.screen()).toMatch(/poppet: opencode-go is for coding only/);
});

describe("C3 without a terminal", () => {
  test.each(["", "< /dev/null", "| cat"])(
    "C3 `chat interactive %s` exits 2 and points to the one-shot commands",
    async (how) => {
      await using home = await openHome();
      // In a terminal, so that only what was redirected is none.
      const line = how === "" ? '"$@" < /dev/null > /dev/null' : `"$@" ${how}`;
      await using pty = openPty(
        ["bash", "-c", `set -o pipefail; ${line}; echo "exit $?"`, "bash", ...home.command("chat", "interactive")],
        { env: home.env, columns: 300 },
      );
      await pty.shows("exit 2");
      expect(await pty.screen()).toMatch(
        /^poppet: chat interactive needs a terminal .*chat new MESSAGE.*chat send ID MESSAGE\nexit 2$/,
      );
    },
  );
});

test("C3 an ID that is none exits 1 before anything is asked", async () => {
  await using home = await openHome();
  await answeredSession(home);
  await using pty = openTalk(home, ["nope"]);
  expect(await pty.exited()).toBe(1);
  expect(await pty.screen()).toMatch(/^poppet: No session "nope"/);
});

test("C3 nothing that was typed is kept on disk but the messages", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = openTalk(home);
  await say(pty, "hello");
  await pty.shows(prompting);
  pty.type("a secret draft\x15/help\r");
  expect(await leave(pty)).toBe(0);
  const entries = await readdir(home.path, { recursive: true, withFileTypes: true });
  // But for the sources that Bun keeps, which have "/help" in them.
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes("/.bun"));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const bytes = await Bun.file(join(file.parentPath, file.name)).text();
    expect(bytes).not.toContain("secret draft");
    expect(bytes).not.toContain("/help");
  }
});

test("C16 while it waits for input it holds no lock file and no database", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = openTalk(home);
  await say(pty, "hello");
  const open = await readdir(`/proc/${pty.process.pid}/fd`);
  const targets = await Promise.all(
    open.map((fd) => Bun.$`readlink /proc/${pty.process.pid}/fd/${fd}`.nothrow().quiet().text()),
  );
  expect(targets.filter((target) => target.includes(home.data))).toEqual([]);
  expect(await readdir(join(home.data, "owners"))).toEqual([]);
  expect(await leave(pty)).toBe(0);
});

test("C16 a reply that is lost before the session is known makes no second session: it stops and says where to look", async () => {
  await using home = await emptyHome({ lines: [{ type: "lose" }] });
  await using pty = openPty(scriptedProgram("chat", "interactive"), { env: { ...home.env, ...chosen } });
  await pty.shows(prompting);
  pty.type("hello\r");
  expect(await pty.exited()).toBe(1);
  expect(await pty.screen()).toEndWith(
    "The message may have been saved. Look for its session with: poppet chat sessions",
  );
});

test("C3 C11 killed in mid-answer, the session goes on where it was", async () => {
  await using home = await openHome([
    answer("One."),
    { parts: [{ type: "text", text: "Half" }, { type: "stall" }] },
    answer("Three."),
  ]);
  await using pty = openTalk(home);
  await say(pty, "first");
  pty.type("second\r");
  await pty.shows("Half");
  pty.process.kill("SIGKILL");
  await pty.process.exited;
  const [session] = await sessionsOf(home);
  await using again = openTalk(home, [session?.id ?? ""]);
  await again.shows(/You> second\n\(no answer: [^)]+\)\n\nYou>$/);
  await say(again, "third");
  expect(await leave(again)).toBe(0);
  const { runs } = await home.show(session?.id ?? "");
  expect(runs.map(({ state }) => state)).toEqual(["completed", "interrupted", "completed"]);
});

test("C3 a command: /help, /new and /resume; one that takes nothing says so, and an unknown one goes to the model", async () => {
  await using home = await openHome([answer("One."), answer("Two."), answer("Three.")]);
  await using pty = openTalk(home);
  await say(pty, "/help");
  await pty.shows("/resume ID  go on in a saved session");
  await say(pty, "/exit now");
  await pty.shows("/exit takes nothing after it.");
  await say(pty, "/etc/hosts: what is it?");
  await say(pty, "/new");
  await say(pty, "another");
  const [second, first] = await sessionsOf(home);
  expect([first?.title, second?.title]).toEqual(["/etc/hosts: what is it?", "another"]);
  await say(pty, "/resume nope");
  await pty.shows('No session "nope"');
  await say(pty, `/resume ${first?.id}`);
  await say(pty, "and then?");
  expect(await leave(pty)).toBe(0);
  expect((await home.show(first?.id ?? "")).messages.map(({ text }) => text)).toEqual([
    "/etc/hosts: what is it?",
    "One.",
    "and then?",
    "Three.",
  ]);
});
