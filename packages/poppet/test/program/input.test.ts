import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { answeredSession, openHome, say, sessionOf } from "./home.ts";

test("C1 stdin is the message where MESSAGE is - or absent, for new and send alike", async () => {
  await using home = await openHome({ replies: [say("ok")], afterLast: "repeat" });
  await using created = home.start(["chat", "new"], { stdin: "from a pipe\n" });
  const { code, stderr } = await created.ended();
  expect(code).toBe(0);
  const id = sessionOf(stderr);
  for (const [given, stdin] of [
    [["chat", "send", id, "-"], "two\nlines\n\n"],
    [["chat", "send", id], "last\r\n"],
  ] as const) {
    await using child = home.start(given, { stdin });
    expect((await child.ended()).code).toBe(0);
  }
  const said = (await home.show(id)).messages.filter((one) => one.role === "user").map((one) => one.text);
  expect(said).toEqual(["from a pipe", "two\nlines\n", "last"]);
});

test("C1 a message that is given leaves stdin alone, so that one that stays open does not hang", async () => {
  await using home = await openHome();
  const id = await answeredSession(home);
  home.server.push(say("ok"));
  const line = `mkfifo "$HOME/open"; exec 3<>"$HOME/open"; "$@" <&3`;
  await using child = home.shell(line, "chat", "send", id, "hi");
  expect(await child.ended()).toMatchObject({ code: 0, stdout: "ok\n" });
});

test("C1 no message on a terminal is wrong usage, and nothing is saved", async () => {
  await using home = await openHome();
  await using pty = home.terminal(["chat", "new"]);
  expect(await pty.exited()).toBe(2);
  expect(await pty.screen()).toMatch(/^poppet: No message\. Give one in quotes/);
  expect(JSON.parse((await home.poppet("chat", "sessions")).stdout)).toEqual({ sessions: [] });
});

test("C1 with - on a terminal the message is typed, and Ctrl-D ends it", async () => {
  await using home = await openHome([say("ok")]);
  await using pty = home.terminal(["chat", "new", "-"]);
  pty.type("typed here\n");
  await pty.until("typed here");
  pty.type("\x04");
  expect(await pty.exited()).toBe(0);
  expect((await home.show(sessionOf(pty.raw()))).messages[0]?.text).toBe("typed here");
});

test("C1 Ctrl-C while a message is read from a terminal ends with 130, and nothing is saved", async () => {
  await using home = await openHome();
  await using pty = home.terminal(["chat", "new", "-"]);
  pty.type("half a thou\n");
  await pty.until("half a thou");
  pty.type("\x03");
  expect(await pty.exited()).toBe(130);
  expect(JSON.parse((await home.poppet("chat", "sessions")).stdout)).toEqual({ sessions: [] });
});

test("C1 after -- a message may begin with a dash, long flags may have one", async () => {
  await using home = await openHome({ replies: [say("ok")], afterLast: "repeat" });
  const dashed = await home.poppet("chat", "new", "-coding", "--", "-limit 3");
  const { session, messages } = await home.show(sessionOf(dashed.stderr));
  expect([session.workload, messages[0]?.text]).toEqual(["coding", "-limit 3"]);
});

test("§7 an argument whose bytes are no UTF-8 is refused, and U+FFFD itself is not", async () => {
  await using home = await openHome([say("ok")]);
  const refused = {
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^poppet: The argument "a\ufffdb" is not UTF-8/),
  };
  for (const line of [`"$@" chat new $'a\\xffb'`, `"$@" chat new --coding -- $'a\\xffb'`, `"$@" $'a\\xffb' chat`]) {
    await using child = home.shell(line);
    expect(await child.ended()).toEqual(refused);
  }
  expect(existsSync(home.data)).toBe(false);
  const { stderr } = await home.poppet("chat", "new", "a\ufffdb");
  expect((await home.show(sessionOf(stderr))).messages[0]?.text).toBe("a\ufffdb");
});

test("§7 a message that is empty, no text or too large is refused in one line, and nothing is saved", async () => {
  await using home = await openHome();
  const inputs: readonly (readonly [string | Uint8Array, string])[] = [
    ["", "The message is empty. Give one in quotes, or pipe it in."],
    [" \n\t ", "The message is empty. Give one in quotes, or pipe it in."],
    [new Uint8Array([0x68, 0xff, 0xfe]), "not UTF-8 text"],
    ["a\0b", "The message contains a NUL character, so it is no text; remove it."],
    ["x".repeat(8_388_609), "larger than 8388608 bytes"],
  ];
  for (const [stdin, words] of inputs) {
    await using child = home.start(["chat", "new"], { stdin });
    const { code, stdout, stderr } = await child.ended();
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^poppet: [^\n]+\n$/);
    expect(stderr).toContain(words);
  }
  expect(JSON.parse((await home.poppet("chat", "sessions")).stdout)).toEqual({ sessions: [] });
});
