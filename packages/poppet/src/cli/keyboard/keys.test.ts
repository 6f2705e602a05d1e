import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Key, type KeyName, openKeys } from "./keys.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function keysOf(...parts: readonly (string | Uint8Array)[]): readonly Key[] {
  const keys = openKeys();
  return [...parts.flatMap((part) => keys.push(typeof part === "string" ? bytesOf(part) : part)), ...keys.flush()];
}

const named = (...names: readonly KeyName[]): readonly Key[] => names.map((name) => ({ name }));
const text = (value: string): Key => ({ name: "text", text: value });
const pasted = (value: string): Key => ({ name: "paste", text: value });

test.each<[string, string, readonly Key[]]>([
  ["text", "hé漢👩‍👩‍👧", [text("hé漢👩‍👩‍👧")]],
  ["Enter, also as a newline", "\r\n", named("enter", "enter")],
  ["arrows of both kinds", "\x1b[D\x1bOC\x1b[A\x1bOB", named("left", "right", "up", "down")],
  ["Home and End of four kinds", "\x1b[H\x1b[1~\x1bOF\x1b[4~", named("home", "home", "end", "end")],
  ["pages", "\x1b[5~\x1b[6~", named("page-up", "page-down")],
  [
    "words by Ctrl, Alt and letters",
    "\x1b[1;5D\x1b[1;3C\x1bb\x1bf\x1b[3;5~",
    named("word-left", "word-right", "word-left", "word-right", "delete-word-right"),
  ],
  ["Shift changes nothing", "\x1b[1;2D", named("left")],
  ["words by Alt as an escape before", "\x1b\x1b[D", named("word-left")],
  [
    "removing",
    "\x7f\x08\x17\x0b\x15\x1b[3~\x1bd\x1b\x7f",
    named(
      ...(["backspace", "backspace", "delete-word", "delete-end", "delete-line"] as const),
      ...(["delete", "delete-word-right", "delete-word-left"] as const),
    ),
  ],
  ["an escape alone", "\x1b", named("escape")],
  ["two escapes", "\x1b\x1b", named("escape")],
  ["a sequence that is broken off", "\x1b[1;\r\x1bO", named("enter")],
  ["three escapes and an arrow", "\x1b\x1b\x1b[D", named("escape", "word-left")],
  ["what is not known", "\x1b[9~\x1b[?1;2c\x1b[99;99Z\x00\x1e\x1bqx", [text("x")]],
  ["8-bit control characters", "a\x9b\x85b", [text("a"), text("b")]],
  ["a paste", "a\x1b[200~one\rtwo\x1b[Dthree\x1b[201~b", [text("a"), pasted("one\rtwo\x1b[Dthree"), text("b")]],
])("C3 P2 keys: %s", (_name, input, expected) => {
  expect(keysOf(input)).toEqual(expected);
});

test("P2 a sequence without an end grows no memory and ends", () => {
  const keys = openKeys();
  for (let i = 0; i < 100; i++) keys.push(bytesOf("\x1b[0;0;0;0;0;0;0;0;"));
  expect(keys.push(bytesOf("\r")).at(-1)).toEqual({ name: "enter" });
  expect(keys.pending).toBe(false);
});

test("C3 keys do not depend on how the bytes were split", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\x1b[A",
      "\x1b[1;5C",
      "\x1bOD",
      "\x1bb",
      "\x1b[3~",
      "\r",
      "\t",
      "\x7f",
      "\x1b[200~a\rb\x1b[201~",
      "\x1b[",
      "\x1b[0;0;0;0;0;0;0;0;0;0;0;0;0;0;",
      "\x1b[5~",
    ),
    fc.string({ unit: "grapheme", maxLength: 4 }).map((text) => text.replaceAll("\x1b", "")),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 6 }), (pieces, places) => {
      const bytes = bytesOf(pieces.join(""));
      const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
      const parts = [...cuts, bytes.length].map((end, i) => bytes.subarray(cuts[i - 1] ?? 0, end));
      expect(joined(keysOf(...parts))).toEqual(joined(keysOf(bytes)));
    }),
    { numRuns: 1_000 },
  );
});

/** Text that came in pieces is one text. */
function joined(keys: readonly Key[]): readonly Key[] {
  const result: Key[] = [];
  for (const key of keys) {
    const last = result.at(-1);
    if (key.name === "text" && last?.name === "text") result[result.length - 1] = text(last.text + key.text);
    else result.push(key);
  }
  return result;
}
