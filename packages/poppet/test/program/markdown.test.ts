/** An answer in Markdown, as a person sees it in a terminal and as a program gets it through a pipe. */
import { expect, test } from "bun:test";
import type { Part } from "../model-server/index.ts";
import { openHome, say } from "./home.ts";

const answer = [
  "## A title\n\nSome **bold",
  "** words, long enough to be wrapped in a narrow terminal.\n\n- one\n  1. t",
  "wo\n\n```js\nconst a = 1;\n```\n\n| k | v |\n|---|--",
  "-|\n| one | 漢字 |\n",
];
const whole = answer.join("");

const shown = `A title

Some bold words, long enough to be
wrapped in a narrow terminal.

• one
  1. two

\`\`\`js
const a = 1;
\`\`\`

k   │ v
────┼─────
one │ 漢字`;

function answerOn(screen: string): string {
  return screen.replace(/^session \S+\nrun \S+\n/, "");
}

test("C1 on a terminal Markdown is drawn and wrapped, with nothing moved or cleared after the indicator", async () => {
  await using home = await openHome([say(...answer)]);
  for (const TERM of ["xterm-256color", "screen"]) {
    home.server.push(say(...answer));
    await using pty = home.terminal(["chat", "new", "hi"], { env: { TERM }, columns: 40 });
    expect(await pty.exited()).toBe(0);
    // The IDs are wider than the screen.
    expect((await pty.screen()).slice(-shown.length)).toBe(shown);
    const from = pty.raw().indexOf("A title");
    expect(pty.raw().slice(from)).not.toMatch(/\x1b\[[\d;]*[A-LN-Za-ln-z]/);
    expect(pty.raw()).not.toMatch(/\x1b\[[23]J/);
  }
});

test("C1 without colours the marks stay", async () => {
  await using home = await openHome([say(...answer)]);
  await using pty = home.terminal(["chat", "new", "hi"], { env: { NO_COLOR: "1" } });
  expect(await pty.exited()).toBe(0);
  const screen = answerOn(await pty.screen());
  expect(screen).toStartWith("## A title\n\nSome **bold** words, ");
  expect(screen).toEndWith("| k   | v    |\n| --- | ---- |\n| one | 漢字 |");
});

test("C1 a pipe, chat.markdown = false and a dumb terminal have the model's text", async () => {
  await using home = await openHome([say(...answer), say(...answer)]);
  expect((await home.poppet("chat", "new", "hi")).stdout).toBe(whole);
  await using dumb = home.terminal(["chat", "new", "hi"], { env: { TERM: "dumb" }, columns: 200 });
  expect(await dumb.exited()).toBe(0);
  expect(answerOn(await dumb.screen())).toBe(whole.trimEnd());

  await using off = await openHome([say(...answer)], { settings: "\n[chat]\nmarkdown = false\n" });
  await using pty = off.terminal(["chat", "new", "hi"], { columns: 200 });
  expect(await pty.exited()).toBe(0);
  expect(answerOn(await pty.screen())).toBe(whole.trimEnd());
});

test("C1 a new width counts from the next line on", async () => {
  const parts: readonly Part[] = [
    { type: "text", text: "one two three " },
    { type: "gate", name: "wide" },
    { type: "text", text: "four five six\nseven eight nine ten eleven" },
  ];
  await using home = await openHome([{ parts }]);
  await using pty = home.terminal(["chat", "new", "hi"], { columns: 60 });
  await pty.until("three");
  pty.resize(20, 24);
  home.server.open("wide");
  expect(await pty.exited()).toBe(0);
  // The line under way was begun for sixty columns: the terminal wraps what is over.
  expect(pty.raw()).toContain("one two three four five six\r\nseven eight nine ten\r\neleven");
});
