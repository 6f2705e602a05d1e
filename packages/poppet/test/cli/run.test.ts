import { expect, test } from "bun:test";
import { join } from "node:path";
import { openPty } from "../pty.ts";
import type { Line, Script } from "./scripted.ts";
import { emptyHome, ended, scriptedProgram } from "./start.ts";

const accepted: Line = { type: "accepted", sessionId: "S", runId: "R", messageId: "M" };
const text = (delta: string, step = 1): Line => ({ type: "text", step, delta });
const reasoning = (delta: string): Line => ({ type: "reasoning", step: 1, section: 0, delta });
/** So that a terminal is not offered setup. */
const chosen = { POPPET_PROVIDER: "local", POPPET_MODEL: "m" };
const hello: Script = { lines: [accepted, text("Hel"), text("lo")] };

async function said(given: readonly string[]) {
  await using home = await emptyHome(hello);
  const echo = join(home.path, "echo.json");
  const result = await ended(scriptedProgram("chat", "new", ...given), {
    env: { ...home.env, SCRIPT_ECHO: echo },
  });
  const file = Bun.file(echo);
  return { ...result, submitted: (await file.exists()) ? ((await file.json()) as { text: string }).text : null };
}

test("C1 the answer is on stdout, the IDs on stderr", async () => {
  expect(await said(["hi"])).toEqual({ code: 0, stdout: "Hello\n", stderr: "session S\nrun R\n", submitted: "hi" });
});

test("C1 after -- a message may begin with a dash", async () => {
  expect((await said(["--", "--help"])).submitted).toBe("--help");
  expect((await said(["-coding", "--", "-5"])).submitted).toBe("-5");
  expect((await said(["-5 degrees"])).submitted).toBe("-5 degrees");
});

test("§7 a stdin that cannot be read is said in one line", async () => {
  await using home = await emptyHome(hello);
  const result = await ended(["bash", "-c", '"$@" < /', "bash", ...scriptedProgram("chat", "new")], home);
  expect(result).toEqual({
    code: 2,
    stdout: "",
    stderr: "poppet: The message cannot be read from stdin: it is a folder. Give it a file or a pipe.\n",
  });
});

test("C11 a failed run: its line on stderr, exit 1", async () => {
  await using home = await emptyHome({
    lines: [accepted, text("Half")],
    outcome: { state: "failed", error: { code: "provider_auth", message: "openai refused the key." } },
  });
  const result = await ended(scriptedProgram("chat", "new", "hi"), home);
  expect(result).toEqual({ code: 1, stdout: "Half", stderr: "session S\nrun R\npoppet: openai refused the key.\n" });
});

test("C2 show's JSON cannot steer a terminal and stays JSON", async () => {
  await using home = await emptyHome();
  const piped = await ended(scriptedProgram("chat", "show", "S"), home);
  expect(JSON.parse(piped.stdout).session.title).toBe("a\u009b31mb\u202e");
  await using pty = openPty(scriptedProgram("chat", "show", "S"), { env: home.env });
  await pty.exited();
  expect(pty.raw()).not.toMatch(/[\u0080-\u009f\u202e]/);
  expect(pty.raw()).toContain("a\\u009b31mb\\u202e");
});

test("C4 on a terminal: Thinking... until the answer, nothing of it after", async () => {
  await using home = await emptyHome({ lines: [accepted, { type: "pause", ms: 250 }, text("Hello")] });
  await using pty = openPty(scriptedProgram("chat", "new", "hi"), { env: { ...home.env, ...chosen } });
  await pty.until(/\x1b\[38;5;\d+mT/);
  expect(await pty.screen()).toContain("Thinking...");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toBe("session S\nrun R\nHello");
  expect(pty.raw()).not.toMatch(/\x1b\[[23]?J/);
});

test("C4 it clears before an error and on Ctrl-C", async () => {
  const outcome = { state: "failed", error: { code: "x", message: "No." } } as const;
  await using failing = await emptyHome({ lines: [accepted, { type: "pause", ms: 100 }], outcome });
  await using first = openPty(scriptedProgram("chat", "new", "hi"), { env: { ...failing.env, ...chosen } });
  expect(await first.exited()).toBe(1);
  expect(await first.screen()).toBe("session S\nrun R\npoppet: No.");
  await using hanging = await emptyHome({ lines: [accepted, { type: "hang" }] });
  await using second = openPty(scriptedProgram("chat", "new", "hi"), { env: { ...hanging.env, ...chosen } });
  await second.until("Thinking".slice(0, 1));
  await second.until(/run R/);
  second.type("\x03");
  expect(await second.exited()).toBe(130);
  expect((await second.screen()).replace("^C", "")).toMatch(/^session S\nrun R\n\s*poppet: Stopped by Ctrl-C\.$/);
});

test.each([
  ["NO_COLOR", { NO_COLOR: "1" }, true],
  ["16 colours", { TERM: "xterm" }, true],
  ["a dumb terminal", { TERM: "dumb" }, false],
] as const)("C4 with %s", async (_name, env, shown) => {
  await using home = await emptyHome({ lines: [accepted, { type: "pause", ms: 600 }, text("Hello")] });
  await using pty = openPty(scriptedProgram("chat", "new", "hi"), { env: { ...home.env, ...chosen, ...env } });
  await pty.exited();
  expect(pty.raw().includes("Thinking.")).toBe(shown);
  expect(pty.raw().includes("Thinking..")).toBe(shown);
  expect(pty.raw()).not.toContain("\x1b[38");
});

test("C4 absent where stderr is no terminal", async () => {
  await using home = await emptyHome({ lines: [accepted, { type: "pause", ms: 200 }, text("Hello")] });
  const command = ["sh", "-c", '"$@" 2>/dev/null', "sh", ...scriptedProgram("chat", "new", "hi")];
  await using pty = openPty(command, { env: { ...home.env, ...chosen } });
  await pty.exited();
  expect(pty.raw()).toBe("Hello\r\n");
});

test.each([7, 40, 80, 200])("C5 reasoning and answer in %d columns, indicator below", async (columns) => {
  const lines: Line[] = [
    accepted,
    reasoning("I think that "),
    { type: "pause", ms: 200 },
    reasoning("it is\n漢字 so. "),
    text("Hello"),
  ];
  await using home = await emptyHome({ lines });
  const env = { ...home.env, ...chosen, POPPET_CONFIG: join(home.path, "c.toml") };
  await Bun.write(env.POPPET_CONFIG, "[chat]\nlogReasoning = true\n");
  await using pty = openPty(scriptedProgram("chat", "new", "hi"), { env, columns });
  await pty.until(/that[\s\S]*\x1b\[38;5;\d+mT/);
  await pty.exited();
  const flat = (shown: string) => shown.replaceAll(/\s+/g, "");
  expect(flat(await pty.screen())).toBe("sessionSrunRThinking:Ithinkthatitis漢字so.Hello");
  if (columns >= 40) expect(await pty.screen()).toEndWith("Thinking:\nI think that it is\n漢字 so. \n\nHello");
});

test("C2 chat sessions: a table on a terminal, JSON with --json or in a pipe", async () => {
  const sessions = [{ id: "id-1", title: "A plan\u001b[2J", updatedAt: Date.now() - 120_000 }] as never;
  await using home = await emptyHome({ sessions });
  await using table = openPty(scriptedProgram("chat", "sessions"), { env: home.env, columns: 40 });
  await table.exited();
  expect(await table.screen()).toBe("id-1  2 min ago  A plan");
  await using forced = openPty(scriptedProgram("chat", "sessions", "-json"), { env: home.env, columns: 400 });
  await forced.exited();
  expect(JSON.parse(forced.raw())).toMatchObject({ sessions: [{ id: "id-1" }] });
  const piped = await ended(scriptedProgram("chat", "sessions", "--limit", "3"), home);
  expect(JSON.parse(piped.stdout)).toMatchObject({ sessions: [{ id: "id-1" }] });
});

test("P2 models pull on a terminal draws one line and clears it; Ctrl-C is 130", async () => {
  await using home = await emptyHome();
  await using pty = openPty(scriptedProgram("models", "pull", "hang"), { env: home.env });
  await pty.until("no network");
  expect(pty.raw()).toContain("[---");
  pty.type("\x03");
  expect(await pty.exited()).toBe(130);
  expect((await pty.screen()).replace("^C", "")).toBe("not from a: no network\npoppet: Stopped by Ctrl-C.");
});
