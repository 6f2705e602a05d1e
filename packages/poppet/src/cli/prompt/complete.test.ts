import { expect, test } from "bun:test";
import { type Choice, commandIn, type PromptCommand, usageOf } from "./commands.ts";
import { completer } from "./complete.ts";
import { lineOf } from "./line.ts";

const sessions: readonly Choice[] = [
  { value: "01a22f-1", about: "Why is the sky blue?  01a22f-1" },
  { value: "01a22f-2", about: "Bake a cake  01a22f-2" },
];
const commands: readonly PromptCommand[] = [
  { name: "new", summary: "begin", argument: null },
  { name: "next", summary: "go on", argument: null },
  {
    name: "resume",
    summary: "go back",
    argument: { placeholder: "ID", optional: false, choices: async () => sessions },
  },
];
const complete = completer(commands, "/nowhere");

test.each([
  ["/new", "new", ""],
  ["/resume  01a", "resume", " 01a"],
  ["/resume one\ntwo", "resume", "one\ntwo"],
])("S20 §8.24 %j is a command", (text, name, args) => {
  expect(commandIn(text, commands)).toMatchObject({ command: { name }, args });
});

test.each(["/newer", " /new", "new", "/", "/New", "//new", "tell /new"])("S20 §8.24 %j is a message", (text) => {
  expect(commandIn(text, commands)).toBeNull();
});

test.each([
  ["/r", { from: 0, text: "/resume ", choices: [] }],
  ["/n", { from: 0, text: "/ne", choices: [] }],
  ["/ne", { from: 0, text: "/ne", choices: ["/new  begin", "/next  go on"] }],
  ["/resume ", { from: 8, text: "", choices: sessions.map(({ about }) => about) }],
  ["/resume 01", { from: 8, text: "01a22f-", choices: [] }],
  ["/resume 01a22f-2", { from: 8, text: "01a22f-2 ", choices: [] }],
  ["/resume CAKE", { from: 8, text: "01a22f-2 ", choices: [] }],
  ["/resume nothing", null],
  ["/new x", null],
  ["/unknown x", null],
  ["some text", null],
  ["mail me@example", null],
  ["see @/no/such/folder/", null],
])("C3 Tab after %j", async (text, expected) => {
  expect(await complete(lineOf(text))).toEqual(expected);
});

test("C3 how a command is used", () => {
  expect(commands.map(usageOf)).toEqual(["/new", "/next", "/resume ID"]);
});
