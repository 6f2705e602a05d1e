/** Keys while an answer streams: the line below it, what waits, and what comes next. */
import { expect, test } from "bun:test";
import type { Part } from "../../model-server/index.ts";
import { say as answer, openHome } from "../../program/home.ts";
import { leave, openTalk, prompting, say, sessionsOf } from "./talk.ts";

const gate = (name: string): Part => ({ type: "gate", name });
const text = (...deltas: string[]): Part => ({ type: "text", text: deltas });

test("C3 a key opens the line below the answer, which waits though the model goes on; Escape lets it go on", async () => {
  await using home = await openHome([{ parts: [text("Half"), gate("rest"), text(" and the rest.")] }]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("Half");
  pty.type("dra");
  await pty.shows(/Half\nYou> dra$/);
  const request = await home.server.request(1);
  home.server.open("rest");
  // The answer is over, and saved, while its second half still waits on the screen.
  expect(await request.over).toBe("ended");
  pty.type("ft");
  await pty.shows(/Half\nYou> draft$/);
  pty.type("\x1b");
  await pty.shows(/Half and the rest\.\n\nYou> draft$/);
  pty.type("\x15");
  expect(await leave(pty)).toBe(0);
});

test("C3 what is entered there waits for its turn, and that is shown below the answer", async () => {
  await using home = await openHome([
    { parts: [text("One"), gate("a"), text(" goes on\nover lines"), gate("b"), text(".")] },
    answer("Two."),
    answer("Three."),
  ]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("One");
  pty.type("second\r");
  await pty.shows(/One\nnext: second$/);
  home.server.open("a");
  await pty.shows(/One goes on\nover lines\nnext: second$/);
  pty.type("third\r");
  await pty.shows(/over lines\nnext: second \(and 1 more\)$/);
  home.server.open("b");
  await pty.shows(/You> first\nOne goes on\nover lines\.\n\nYou> second\nTwo\.\n\nYou> third\nThree\.\n\nYou>$/);
  expect(await leave(pty)).toBe(0);
  expect(await sessionsOf(home)).toHaveLength(1);
});

test("C3 after a failure what waited is not sent; it is said, and the up arrow brings it back", async () => {
  await using home = await openHome([
    { parts: [text("One"), gate("a"), { type: "error", error: { message: "broken" } }] },
    answer("Two."),
  ]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("One");
  pty.type("second\r");
  await pty.shows("next: second");
  home.server.open("a");
  await pty.shows(/poppet: [\s\S]*Not sent: second \(the up arrow brings it back\)\n\nYou>$/);
  expect(home.server.requests).toHaveLength(1);
  pty.type("\x1b[A\r");
  await pty.shows(/You> second\nTwo\.\n\nYou>$/);
  expect(await leave(pty)).toBe(0);
});

test("C3 Ctrl-D during an answer leaves after it also where that fails, and what waited is said to be unsent", async () => {
  await using home = await openHome([
    { parts: [text("One"), gate("a"), { type: "error", error: { message: "broken" } }] },
  ]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("One");
  pty.type("second\r");
  await pty.shows("next: second");
  pty.type("\x04");
  await pty.shows("(and 1 more)");
  home.server.open("a");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toMatch(/Not sent: second [\s\S]*Go on with: /);
  expect(home.server.requests).toHaveLength(1);
});

test.each([
  ["/exit", "/exit\r", "next: /exit"],
  ["Ctrl-D", "\x04", "leaving after this answer"],
])("C3 %s during an answer leaves after it", async (_name, keys, notice) => {
  await using home = await openHome([{ parts: [text("One"), gate("a"), text(" goes on.")] }]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("One");
  pty.type(keys);
  await pty.shows(notice);
  home.server.open("a");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toMatch(/You> first\nOne goes on\.\n\n(You> \/exit\n)?Go on with: /);
});

test("C3 type-ahead: lines that were typed before the prompt was there are answered in order", async () => {
  await using home = await openHome([answer("One."), answer("Two.")]);
  await using pty = openTalk(home);
  pty.type("first\rsecond\r/exit\r");
  expect(await pty.exited()).toBe(0);
  const [session] = await sessionsOf(home);
  const { messages } = await home.show(session?.id ?? "");
  expect(messages.map((message) => message.text)).toEqual(["first", "One.", "second", "Two."]);
  expect(await pty.screen()).toMatch(/You> first\nOne\.\n\nYou> second\nTwo\.\n\nYou> \/exit\nGo on with: /);
});

test.each([7, 40, 80, 200])(
  "C3 at %d columns an answer that was interrupted by typing looks as one that was not",
  async (columns) => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}${i % 7 === 0 ? "\n" : " "}`);
    const parts: Part[] = words.flatMap((word, i) => (i % 10 === 0 ? [gate(`g${i}`), text(word)] : [text(word)]));
    await using home = await openHome([{ parts: [text(...words)] }, { parts }]);
    const size = { columns, rows: 60, env: { NO_COLOR: "1" } };
    await using plain = openTalk(home, [], size);
    await say(plain, "go");
    await using typed = openTalk(home, [], size);
    await typed.shows(prompting);
    typed.type("go\r");
    for (let i = 0; i < 60; i += 10) {
      await home.server.request(2);
      home.server.open(`g${i}`);
      await typed.until(`word${i}`);
      typed.type("漢字 typed");
      await typed.shows("漢");
      typed.type("\x15\x1b");
      await typed.shows(/^(?![\s\S]*漢)/);
    }
    await typed.shows(/word59\s*You>$/);
    expect(await typed.screen()).toBe(await plain.screen());
  },
);

test("C4 the indicator waits while a line is open, and goes on", async () => {
  await using home = await openHome([{ parts: [gate("a"), text("One.")] }]);
  await using pty = openTalk(home, [], { env: { NO_COLOR: "1" } });
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows(/Thinking\.+$/);
  pty.type("x");
  await pty.shows(/Thinking\.+\nYou> x$/);
  home.server.open("a");
  pty.type("\x7f\r");
  await pty.shows(/You> first\nOne\.\n\nYou>$/);
});
