/** The line itself, as a terminal shows it. */
import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { say as answer, answeredSession, openHome } from "../../program/home.ts";
import { leave, openTalk, prompting, say, sessionsOf } from "./talk.ts";

describe.each([7, 40, 80, 200])("C3 at %d columns", (columns) => {
  test(`C3 wide characters edited in the middle are right at every column (${columns})`, async () => {
    await using home = await openHome([answer("Yes.")]);
    await using pty = openTalk(home, [], { columns, rows: 40, env: { NO_COLOR: "1" } });
    await pty.shows(/You>$/);
    const { row } = await pty.cursor();
    pty.type("漢字かな交じり文ABC");
    pty.type("\x1b[D".repeat(5));
    pty.type("の");
    pty.type("\x7f\x7f語");
    await pty.shows(/語/);
    pty.type("\x1b[D");
    const text = "漢字かな交語り文ABC";
    await pty.shows(new RegExp(`You> ${rows(`You> ${text}`, columns).join("\\n").slice(5)}$`));
    let [line, column] = [0, 0];
    for (const character of "You> 漢字かな交語") {
      const width = /[\x20-\x7e]/.test(character) ? 1 : 2;
      if (column + width > columns) [line, column] = [line + 1, 0];
      column += width;
    }
    await pty.cursorAt(row + line, column - 2);
    pty.type("\r");
    await pty.shows(/Yes\.\n\nYou>$/);
    const [session] = await sessionsOf(home);
    expect((await home.show(session?.id ?? "")).messages[0]?.text).toBe(text);
  });

  test(`C3 a resize redraws the line and loses nothing (${columns})`, async () => {
    await using home = await openHome([answer("Yes.")]);
    await using pty = openTalk(home, [], { columns, rows: 40, env: { NO_COLOR: "1" } });
    await pty.shows(/You>$/);
    pty.type("ab");
    await pty.shows("You> ab");
    for (const width of [40, 20, 60, columns]) pty.resize(width, 40);
    await pty.shows(/You> ab$/);
    pty.type(" and a longer line of text");
    await pty.shows(new RegExp(`${rows("You> ab and a longer line of text", columns).join("\\n")}$`));
    pty.resize(200, 40);
    await pty.shows(/You> ab and a longer line of text$/);
    pty.type("\r");
    await pty.shows(/Yes\.\n\nYou>$/);
    expect(await leave(pty)).toBe(0);
  });
});

test("C3 a resize during an answer, with and without a line below it, breaks nothing", async () => {
  await using home = await openHome([
    {
      parts: [
        { type: "text", text: "Half of it" },
        { type: "gate", name: "a" },
        { type: "text", text: " and the rest." },
      ],
    },
    answer("Two."),
  ]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("first\r");
  await pty.shows("Half of it");
  pty.resize(40, 24);
  pty.type("next");
  await pty.shows(/Half of it\nYou> next$/);
  pty.resize(100, 30);
  pty.type("!\r");
  await pty.shows(/Half of it\nnext: next!$/);
  pty.resize(60, 24);
  home.server.open("a");
  await pty.shows(/You> first\nHalf of it and the rest\.\n\nYou> next!\nTwo\.\n\nYou>$/);
});

test("C3 a paste of three lines is one message, and the hint says so", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("\x1b[200~one\r  two\r\nthree\r\x1b[201~");
  await pty.shows(/You> one two three\n3 lines joined into one/);
  expect(home.server.requests).toHaveLength(0);
  pty.type("\r");
  await pty.shows(/You> one two three\nYes\.\n\nYou>$/);
  expect(await leave(pty)).toBe(0);
  const [session] = await sessionsOf(home);
  expect((await home.show(session?.id ?? "")).messages[0]?.text).toBe("one two three");
});

test("C3 the up arrow and Ctrl-R bring lines of this conversation back", async () => {
  await using home = await openHome([answer("One."), answer("Two."), answer("Three."), answer("Four.")]);
  await using pty = openTalk(home);
  await say(pty, "the first question");
  await say(pty, "second");
  pty.type("\x12fir");
  await pty.shows('search "fir": the first question');
  pty.type("\r");
  await pty.shows(/You> the first question\nThree\.\n\nYou>$/);
  pty.type("\x1b[A\x1b[A again\r");
  await pty.shows(/You> second again\nFour\.\n\nYou>$/);
});

test("C3 a line that is longer than the screen scrolls in its place, and is whole once it is sent", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = openTalk(home, [], { columns: 20, rows: 6 });
  await pty.shows(/You>$/);
  const long = Array.from({ length: 50 }, (_, i) => `word${i}`).join(" ");
  pty.type(`\x1b[200~${long}\x1b[201~`);
  await pty.shows(/\nrd49$/);
  pty.type("\x01");
  await pty.shows(/You> word0/);
  pty.type("\r");
  await pty.shows(/Yes\.\n\nYou>$/);
  expect((await pty.screen()).replaceAll("\n", "")).toContain(long);
  const [session] = await sessionsOf(home);
  expect((await home.show(session?.id ?? "")).messages[0]?.text).toBe(long);
});

test("C3 Tab completes commands, sessions by their titles, and files after @", async () => {
  await using home = await openHome();
  const session = await answeredSession(home, "Why is the sky blue?");
  await answeredSession(home, "Bake a cake");
  for (const name of ["notes", ".hidden"]) await mkdir(join(home.path, name));
  await Bun.write(join(home.path, "notes/north.md"), "");
  await Bun.write(join(home.path, "notes/Nordic day.md"), "");
  await using pty = openTalk(home);
  await pty.shows(prompting);
  pty.type("/\t");
  await pty.shows(/You> \/\n\/help .*\n\/new .*\n\/resume ID .*\n\/exit /);
  pty.type("res\t");
  await pty.shows(/You> \/resume$/);
  pty.type("\t");
  await pty.shows(/\nBake a cake .*\nWhy is the sky blue\? /);
  pty.type("sky\t");
  await pty.shows(new RegExp(`You> /resume ${session}$`));
  pty.type(`\x15look at @${home.path}/no\t`);
  await pty.shows(`You> look at @${home.path}/notes/`);
  pty.type("\t");
  await pty.shows(`@${home.path}/notes/north.md`);
  pty.type(`\x15@${home.path}/nothing\t!`);
  await pty.shows("/nothing!");
});

/** Where a terminal of this width breaks the text, which has no character that does not fit by one column. */
function rows(text: string, columns: number): readonly string[] {
  const result = [""];
  let width = 0;
  for (const character of text) {
    const wide = /[\x20-\x7e]/.test(character) ? 1 : 2;
    if (width + wide > columns) {
      result.push("");
      width = 0;
    }
    width += wide;
    result[result.length - 1] += character;
  }
  return result;
}
