/** What is styled, by what the terminal can do. */
import { expect, test } from "bun:test";
import { say as answer, answeredSession, openHome } from "../../program/home.ts";
import { leave, openTalk, prompting, say } from "./talk.ts";

test.each([
  ["256 colours", { TERM: "xterm-256color" }, true],
  ["16 colours", { TERM: "screen" }, true],
  ["no colours", { TERM: "xterm-256color", NO_COLOR: "1" }, false],
])("C3 with %s the label is bold and what is beside the talk is dimmed: %j %s", async (_name, env, styled) => {
  await using home = await openHome();
  const session = await answeredSession(home);
  home.server.push(answer("Again."));
  await using pty = openTalk(home, [session], { env });
  await say(pty, "once more");
  expect(await leave(pty)).toBe(0);
  expect(pty.raw().includes("\x1b[1mYou> \x1b[0m")).toBe(styled);
  expect(pty.raw().includes("\x1b[2m")).toBe(styled);
  expect(/\x1b\[[\d;]*m/.test(pty.raw())).toBe(styled);
  expect(await pty.screen()).toMatch(/You> Hi\nHello\.\n\nYou> once more\nAgain\.\n\nYou> \/exit\nGo on with: /);
});

test("C3 C4 a dumb terminal gets no sequence at all; it edits the line itself, and a paste is still one message", async () => {
  await using home = await openHome([answer("One."), answer("Two.")]);
  await using pty = openTalk(home, [], { env: { TERM: "dumb" } });
  await pty.shows(prompting);
  pty.type("\r");
  await pty.shows(/You>\s+You>$/);
  pty.type("frist\x7f\x7f\x7f\x7first\r");
  await pty.shows(/first\nOne\.\n\nYou>$/);
  pty.type("one\rtwo\rthree\r");
  await pty.shows(/\(3 lines joined into one\)\nTwo\.\n\nYou>$/);
  pty.type("\x04");
  expect(await pty.exited()).toBe(0);
  expect(pty.raw().replaceAll("\b \b", "")).not.toMatch(/[\x00-\x09\x0b\x0c\x0e-\x1f]/);
  expect(await pty.screen()).toMatch(/\nYou> ?\nGo on with: poppet chat interactive \S+/);
});

test("C3 Ctrl-C on a dumb terminal: 0 at the prompt, 130 in an answer", async () => {
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, { type: "stall" }] }]);
  await using idle = openTalk(home, [], { env: { TERM: "dumb" } });
  await idle.shows(prompting);
  idle.type("\x03");
  expect(await idle.exited()).toBe(0);
  await using busy = openTalk(home, [], { env: { TERM: "dumb" } });
  await busy.shows(prompting);
  busy.type("first\r");
  await busy.shows("Half");
  busy.type("\x03");
  expect(await busy.exited()).toBe(130);
});

test("C3 Ctrl-D during an answer on a dumb terminal leaves after it, also where that fails", async () => {
  const broken = { type: "error", error: { message: "broken" } } as const;
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, { type: "gate", name: "a" }, broken] }]);
  await using pty = openTalk(home, [], { env: { TERM: "dumb" } });
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("Half");
  pty.type("\x04");
  home.server.open("a");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toContain("Go on with: ");
});
