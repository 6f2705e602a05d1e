/** What ends a talk from outside, and what it leaves of the run and of the terminal. */
import { expect, test } from "bun:test";
import type { Part } from "../../model-server/index.ts";
import { say as answer, openHome } from "../../program/home.ts";
import { openPty, type Pty } from "../../pty.ts";
import { emptyHome, scriptedProgram } from "../start.ts";
import { chosen, openShellTalk, openTalk, prompting, say, sessionsOf } from "./talk.ts";

const stall: Part = { type: "stall" };
const reasoning = { settings: "\n[chat]\nlogReasoning = true\n" };

/** The terminal's modes, as a program started after the talk finds them. */
async function modesOf(pty: Pty): Promise<string> {
  pty.type("stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|icrnl|isig|ixon)' | tr '\\n' ' '; echo END\r");
  await pty.shows(/END\n\$$/);
  return / *([^\n]*)END\n\$$/.exec(await pty.screen())?.[1] ?? "";
}

test.each([
  ["before the first token", [stall], "Thinking..."],
  ["in the reasoning", [{ type: "reasoning", text: "Hmm, let me" }, stall], "Hmm, let me"],
  ["in the text", [{ type: "text", text: "Half" }, stall], "Half"],
] as const)(
  "C3 §8.23 Ctrl-C %s cancels and exits 130; the run is saved as interrupted, the terminal as it was",
  async (_name, parts, seen) => {
    await using home = await openHome([answer("One."), { parts }], reasoning);
    await using pty = await openShellTalk(home);
    await say(pty, "first");
    pty.type("second\r");
    const request = await home.server.request(2);
    await pty.shows(seen);
    pty.type("\x03");
    expect(await request.over).toBe("client");
    await pty.shows(/poppet: Stopped by Ctrl-C\.\nGo on with: poppet chat interactive \S+\n\$$/);
    expect(await pty.screen()).not.toContain("Thinking...");
    pty.type("echo code $?\r");
    await pty.shows("code 130");
    expect(await modesOf(pty)).toBe("icrnl ixon isig icanon echo ");
    expect(pty.raw().lastIndexOf("\x1b[?2004l")).toBeGreaterThan(pty.raw().lastIndexOf("Stopped by Ctrl-C."));
    const [session] = await sessionsOf(home);
    const { runs } = await home.show(session?.id ?? "");
    expect(runs).toMatchObject([
      { state: "completed" },
      { state: "interrupted", error: { message: "Stopped by Ctrl-C." } },
    ]);
  },
);

test("C3 Ctrl-C during a tool stops it and exits 130; the indicator named it, and the call is shown with the run", async () => {
  const call: Part = {
    type: "tool-call",
    id: "call_1",
    name: "poppet_web__fetch_page",
    input: { url: "https://example.com/tides" },
  };
  await using home = await openHome([{ parts: [{ type: "text", text: "I look." }, call] }]);
  const program = [process.execPath, `${import.meta.dir}/tool-program.ts`, "chat", "interactive"];
  await using pty = openPty(program, { env: { ...home.env } });
  await pty.shows(prompting);
  pty.type("What does it say of tides?\r");
  await pty.shows("Reading https://example.com/tides...");
  pty.type("\x03");
  expect(await pty.exited()).toBe(130);
  const screen = await pty.screen();
  expect(screen).toMatch(/I look\.\s+poppet: Stopped by Ctrl-C\.\nGo on with: \S/);
  expect(screen).not.toContain("Reading");
  const [session] = await sessionsOf(home);
  expect((await home.show(session?.id ?? "")).runs).toMatchObject([
    { state: "interrupted", toolCalls: [{ name: "poppet_web.fetch_page", state: "unknown", result: null }] },
  ]);
});

test("C3 Ctrl-C while a line is open below the answer cancels too; what waited is said to be unsent", async () => {
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, stall] }]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("Half");
  pty.type("waits\r");
  await pty.shows("next: waits");
  pty.type("half a li");
  await pty.shows("You> half a li");
  pty.type("\x03");
  expect(await pty.exited()).toBe(130);
  expect(await pty.screen()).toMatch(/You> first\nHalf\npoppet: Stopped by Ctrl-C\.\nNot sent: waits\nGo on with: \S/);
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("C3 §8.23 %s at the prompt and in an answer: exit %d", async (signal, code) => {
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, stall] }]);
  await using idle = openTalk(home);
  await idle.shows(prompting);
  idle.process.kill(signal);
  expect(await idle.exited()).toBe(code);
  expect(idle.raw()).toEndWith("\x1b[?2004l");
  await using busy = openTalk(home);
  await busy.shows(prompting);
  busy.type("first\r");
  await busy.shows("Half");
  busy.process.kill(signal);
  expect(await busy.exited()).toBe(code);
  const [session] = await sessionsOf(home);
  expect((await home.show(session?.id ?? "")).runs).toMatchObject([{ state: "interrupted" }]);
});

test("C3 SIGQUIT ends it at once and leaves the terminal as it was", async () => {
  await using home = await openHome();
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("\x1c");
  expect(await pty.exited()).toBe(131);
  expect(pty.raw()).toEndWith("\x1b[?2004l");
});

test("C3 §8.23 a terminal that is closed: the run is interrupted", async () => {
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, stall] }]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("Half");
  pty.process.terminal?.close();
  expect(await pty.process.exited).toBe(129);
  const [session] = await sessionsOf(home);
  expect((await home.show(session?.id ?? "")).runs).toMatchObject([{ state: "interrupted" }]);
});

test("C3 a second Ctrl-C while the first is being dealt with ends it at once, and the terminal is as it was", async () => {
  await using home = await emptyHome({
    lines: [
      { type: "accepted", sessionId: "S", runId: "R", messageId: "M" },
      { type: "text", step: 1, delta: "Half" },
      { type: "stuck" },
    ],
  });
  await using pty = openPty(scriptedProgram("chat", "interactive"), { env: { ...home.env, ...chosen } });
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("Half");
  pty.type("\x03");
  await pty.until("heard");
  // Of another kind, so that the exit code tells what ended it.
  pty.process.kill("SIGTERM");
  expect(await pty.exited()).toBe(143);
  expect(pty.raw()).toEndWith("\x1b[?2004l");
});

test("C3 an error that nobody expected leaves the terminal as it was", async () => {
  await using home = await emptyHome({ lines: [{ type: "lose" }] });
  await using pty = openPty(["bash", "--norc", "--noprofile", "-i"], {
    env: { ...home.env, ...chosen, PS1: "$ ", HISTFILE: "" },
  });
  await pty.shows(/\$$/);
  const before = await modesOf(pty);
  pty.type(`${scriptedProgram("chat", "interactive").join(" ")}\r`);
  await pty.shows(prompting);
  pty.type("hello\r");
  await pty.shows(/poppet chat sessions\n\$$/);
  expect(await modesOf(pty)).toBe(before);
});
