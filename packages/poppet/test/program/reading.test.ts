/** Reading what was said, as a person does: lists, transcripts and searches on a terminal, with a pager and without. */
import { expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionSummary } from "../../src/assistant.ts";
import { ask, testAssistant } from "../assistant.ts";
import { type Home, openHome } from "./home.ts";

/** Sessions with one answered message each, the first the oldest; their IDs. */
async function saveSessions(home: Home, said: readonly string[], answer = "An answer."): Promise<readonly string[]> {
  const settings = { provider: "openai-compatible", model: "test-model" } as const;
  const assistant = await testAssistant({ home: home.data, model: said.map(() => answer), settings });
  const ids: string[] = [];
  for (const text of said) ids.push((await ask(assistant, text)).sessionId);
  await assistant.close();
  return ids;
}

const questions = (count: number) => Array.from({ length: count }, (_, n) => `question ${n}`);

async function script(home: Home, name: string, lines: string): Promise<string> {
  const path = join(home.path, name);
  await writeFile(path, `#!/bin/sh\n${lines}`);
  await chmod(path, 0o700);
  return path;
}

test.skipIf(Bun.which("less") === null)(
  "C2 a list that is longer than the screen goes through less, which q leaves; what it showed stays",
  async () => {
    await using home = await openHome();
    await saveSessions(home, questions(12));
    await using pty = home.terminal(["chat", "sessions"], { rows: 6 });
    await pty.until("question 8");
    await pty.until(/\n:/);
    expect(pty.raw()).not.toContain("question 2");
    pty.type("q");
    expect(await pty.exited()).toBe(0);
    expect(await pty.screen()).toContain("question 11");
    expect(pty.raw()).not.toMatch(/\x1b\[[23]?J|\x1b\[\?1049h/);
  },
);

test("C2 what fits the screen is printed without a pager", async () => {
  await using home = await openHome();
  await saveSessions(home, questions(5));
  const env = { PAGER: "echo paged" };
  await using fits = home.terminal(["sessions"], { rows: 6, env });
  expect(await fits.exited()).toBe(0);
  expect((await fits.screen()).split("\n")).toHaveLength(5);
  await using long = home.terminal(["sessions"], { rows: 5, env });
  await long.exited();
  expect(await long.screen()).toBe("paged");
});

test("C2 Ctrl-C belongs to the pager", async () => {
  await using home = await openHome();
  await saveSessions(home, questions(12));
  const pager = await script(
    home,
    "pager",
    "trap 'echo heard; exit 0' INT\ncat >/dev/null\necho ready\nwhile :; do sleep 0.05; done\n",
  );
  await using pty = home.terminal(["sessions"], { rows: 6, env: { POPPET_PAGER: pager, PAGER: "false" } });
  await pty.until("ready");
  pty.type("\x03");
  await pty.until("heard");
  expect(await pty.exited()).toBe(0);
  expect(pty.raw()).not.toContain("poppet:");
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("C2 %s ends the program and its pager", async (signal, code) => {
  await using home = await openHome();
  await saveSessions(home, questions(12));
  const pidFile = join(home.path, "pid");
  const pager = await script(home, "pager", `echo $$ > ${pidFile}\necho ready\nexec sleep 600\n`);
  await using pty = home.terminal(["sessions"], {
    rows: 6,
    env: { PAGER: `A_VARIABLE=1 ${pager} with "an argument"` },
  });
  await pty.until("ready");
  pty.process.kill(signal);
  expect(await pty.exited()).toBe(code);
  const pid = Number(await readFile(pidFile, "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("C2 a pager that is left early is no failure, however much there was to read", async () => {
  await using home = await openHome();
  const [id = ""] = await saveSessions(home, ["first line\n".repeat(60_000)]);
  await using pty = home.terminal(["show", id], { env: { PAGER: "head -1" } });
  expect(await pty.exited()).toBe(0);
  expect((await pty.screen()).split("\n")).toHaveLength(1);
});

test.each([
  ["no such pager", { PAGER: "/no/such/pager -R" }],
  ["a file that cannot be run", { PAGER: "/etc/passwd" }],
  ["cat", { PAGER: "cat" }],
  ["none", { PAGER: "" }],
  ["no name of the terminal", { TERM: "", PAGER: "echo paged" }],
  ["a dumb terminal", { TERM: "dumb", PAGER: "echo paged" }],
  ["no less", { PATH: "/nowhere" }],
])("C2 with %s everything is printed straight", async (_name, env) => {
  await using home = await openHome();
  await saveSessions(home, questions(12));
  await using pty = home.terminal(["sessions"], { rows: 6, env });
  expect(await pty.exited()).toBe(0);
  const screen = await pty.screen();
  for (const text of questions(12)) expect(screen).toContain(text);
  expect(screen).not.toContain("paged");
});

test("C2 show prints to read, chat show --text the same; plain text in a pipe, JSON without --text", async () => {
  await using home = await openHome({ replies: [{ status: 401, body: { error: { message: "bad key" } } }] });
  const [id = ""] = await saveSessions(home, ["Why is the sky blue?"], "Because of scattering.");
  expect((await home.poppet("chat", "send", id, "And then?")).code).toBe(1);
  const piped = await home.poppet("show", id);
  expect([piped.code, piped.stderr]).toEqual([0, ""]);
  expect(piped.stdout).toMatch(
    /^Why is the sky blue\?\nsession {2}\S+\n[\s\S]*\nYou, [-\d]+ [\d:]+\nWhy is the sky blue\?\n\nPoppet, [-\d]+ [\d:]+\nBecause of scattering\.\n\ntokens: 10 in, 5 out\n\nYou, [^\n]+\nAnd then\?\n\nFailed: [^\n]+ \(provider_auth\)\n$/,
  );
  expect(piped.stdout).not.toContain("\x1b");
  expect((await home.poppet("chat", "show", "--text", id.slice(0, 18))).stdout).toBe(piped.stdout);
  expect((await home.show(id)).session.id).toBe(id);
  for (const columns of [7, 40]) {
    await using pty = home.terminal(["show", id], { columns, rows: 200 });
    expect(await pty.exited()).toBe(0);
    expect((await pty.screen()).replaceAll(/\s/g, "")).toBe(piped.stdout.replaceAll(/\s/g, ""));
    expect(pty.raw()).toContain("\x1b[1mYou");
  }
});

test("C2 a transcript's answers are drawn as they were when they came", async () => {
  const written = "Some **strong** words\n\n```ts\nconst x = 1;\n```";
  await using home = await openHome();
  const [id = ""] = await saveSessions(home, ["Some **words**?"], written);
  await using drawn = home.terminal(["show", id]);
  await drawn.exited();
  expect(await drawn.screen()).toContain("Some strong words\n\n");
  expect(await drawn.screen()).toContain("Some **words**?\n\nPoppet");
  expect((await home.poppet("show", id)).stdout).toContain(`${written}\n`);
  const settings = await readFile(home.config, "utf8");
  await writeFile(home.config, settings.replace("[chat]\n", "[chat]\nmarkdown = false\n"));
  await using asWritten = home.terminal(["show", id]);
  await asWritten.exited();
  expect(await asWritten.screen()).toContain(written);
});

test("C2 the ID that a list shows is what one may type back, here and as --before", async () => {
  await using home = await openHome();
  const ids = await saveSessions(home, questions(4));
  await using pty = home.terminal(["sessions", "--limit", "2"]);
  expect(await pty.exited()).toBe(0);
  const lines = (await pty.screen()).split("\n");
  expect(lines).toHaveLength(3);
  const short = /^(\S+) {2,}just now {2}question 2$/.exec(lines[1] ?? "")?.[1] ?? "";
  expect(ids[2]).toStartWith(short);
  expect(lines[2]).toBe(`more: poppet sessions --before ${short}`);
  expect((await home.show(short)).session.id).toBe(ids[2] ?? "");
  await using rest = home.terminal(["chat", "sessions", "--before", short]);
  await rest.exited();
  expect(await rest.screen()).toMatch(/^\S+ +just now {2}question 1\n\S+ +just now {2}question 0$/);
  await using end = home.terminal(["sessions", "--before", ids[0] ?? ""]);
  await end.exited();
  expect(await end.screen()).toBe("No more sessions.");
});

test("C2 pages of JSON can be followed to the end: each session once", async () => {
  await using home = await openHome();
  const ids = await saveSessions(home, questions(7));
  const seen: string[] = [];
  for (let before: readonly string[] = []; ; ) {
    const { stdout } = await home.poppet("chat", "sessions", "--limit", "3", ...before);
    const { sessions } = JSON.parse(stdout) as { readonly sessions: readonly SessionSummary[] };
    const last = sessions.at(-1);
    if (last === undefined) break;
    seen.push(...sessions.map((session) => session.id));
    before = ["--before", last.id];
  }
  expect(seen).toEqual(ids.toReversed());
  const unknown = await home.poppet("sessions", "--before", "zzz");
  expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
});

test("C2 a beginning that several share is wrong usage and names them", async () => {
  await using home = await openHome();
  await saveSessions(home, questions(2));
  for (const given of [
    ["show", "0"],
    ["chat", "send", "0", "hi"],
    ["chat", "rename", "0", "t"],
    ["sessions", "--before", "0"],
  ]) {
    const { code, stdout, stderr } = await home.poppet(...given);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^poppet: Several IDs begin with "0": \S+ \(question 1\), \S+ \(question 0\)\. Give more of the ID\.\n$/,
    );
  }
});

test("C10 on a terminal the words are set apart as the search finds them; JSON elsewhere and with --json", async () => {
  await using home = await openHome();
  const [id = ""] = await saveSessions(home, ["A Café in 東京の駅 👩‍👩‍👧‍👦"], "I know none.");
  await using pty = home.terminal(["chat", "search", "cafe 駅"]);
  expect(await pty.exited()).toBe(0);
  expect((await pty.screen()).replaceAll(/ +/g, " ")).toBe(
    `A Café in 東京の駅 👩‍👩‍👧‍👦\n${id.slice(0, 8)} just now you\n A Café in 東京の駅 👩‍👩‍👧‍👦`,
  );
  expect(pty.raw()).toMatch(/A \x1b\[[\d;]+mCafé\x1b\[[\d;]+m in 東京の\x1b\[[\d;]+m駅\x1b\[[\d;]+m /);
  await using plain = home.terminal(["chat", "search", "cafe 駅"], { env: { NO_COLOR: "1" } });
  await plain.exited();
  expect(plain.raw()).not.toContain("\x1b");
  await using forced = home.terminal(["chat", "search", "cafe 駅", "-json"], { columns: 1_000 });
  await forced.exited();
  expect(JSON.parse(forced.raw())).toEqual(await home.search("cafe 駅"));
  await using nothing = home.terminal(["chat", "search", "nowhere"]);
  expect(await nothing.exited()).toBe(0);
  expect(await nothing.screen()).toBe("Nothing that was said has every one of these words.");
});
