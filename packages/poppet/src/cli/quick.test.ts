import { expect, test } from "bun:test";
import { plainCommand } from "./quick.ts";

test.each([
  [["chat", "new", "hi"], true],
  [["chat", "send", "ID", "hi"], true],
  [["chat", "sessions"], true],
  [["chat", "sessions", "--json"], true],
  [["chat", "show", "ID"], true],
  [["chat", "search", "words and more"], true],
  [["chat", "new"], false],
  [["chat", "new", "-"], false],
  [["chat", "new", "-coding", "hi"], false],
  [["chat", "new", "hi", "there"], false],
  [["chat", "send", "ID"], false],
  [["chat", "send", "ID", "--help"], false],
  [["chat", "sessions", "-json"], false],
  [["chat", "show", "-h"], false],
  [["chat", "shw", "ID"], false],
  [["--version"], true],
  [["-version"], true],
  [["-v"], true],
  [["--version", "x"], false],
  [["chat"], false],
  [[], false],
])("S0 %j is a plain command: %j", (given, plain) => {
  expect(plainCommand(given, "1.2.3") !== null).toBe(plain);
});
