/** C9 at the prompt. */
import { expect, test } from "bun:test";
import { say as answer, openHome, sayAfter } from "../../program/home.ts";
import { openTalk, prompting, say, sessionsOf } from "./talk.ts";

test("C9 the prompt is there while a title is asked for; leaving waits for it, and says so", async () => {
  await using home = await openHome([answer("Hello."), sayAfter("title", "A good title")], { naming: true });
  await using pty = openTalk(home);
  await say(pty, "hi there");
  await home.server.request(2);
  await pty.shows(/Hello\.\n\nYou>$/);
  pty.type("/exit\r");
  await pty.shows(/You> \/exit\nNaming this conversation…$/);
  home.server.open("title");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toMatch(/You> \/exit\nGo on with: [^\n]+$/);
  expect(await sessionsOf(home)).toMatchObject([{ title: "A good title", titleSource: "model" }]);
});

test("C9 the next message waits for it, so that no two requests are under way; it is asked for once", async () => {
  await using home = await openHome(
    [answer("Hello."), sayAfter("title", "A good title"), answer("Two."), answer("Three.")],
    { naming: true },
  );
  await using pty = openTalk(home);
  await say(pty, "hi there");
  await home.server.request(2);
  await pty.shows(prompting);
  pty.type("second\r");
  await pty.shows(/You> second\nNaming this conversation…$/);
  home.server.open("title");
  await pty.shows(/You> second\nTwo\.\n\nYou>$/);
  await say(pty, "third");
  pty.type("\x04");
  expect(await pty.exited()).toBe(0);
  expect(home.server.requests).toHaveLength(4);
});

test("C9 Ctrl-C at the prompt, and in the wait, end it at once: exit 0, the first title stays", async () => {
  for (const waits of [false, true]) {
    await using home = await openHome([answer("Hello."), { parts: [{ type: "stall" }] }], { naming: true });
    await using pty = openTalk(home);
    await say(pty, "hi there");
    const request = await home.server.request(2);
    await pty.shows(prompting);
    if (waits) {
      pty.type("\x04");
      await pty.shows("Naming this conversation…");
    }
    pty.type("\x03");
    expect(await pty.exited()).toBe(0);
    expect(await request.over).toBe("client");
    expect(await sessionsOf(home)).toMatchObject([{ title: "hi there", titleSource: "prompt", namingAttempted: true }]);
  }
});
