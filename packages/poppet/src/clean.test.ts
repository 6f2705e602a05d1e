import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanJson, cleanLine, cleanText, openCleaner, openWhole } from "./clean.ts";

const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "P",
      "_",
      "^",
      "X",
      "\\",
      "\x07",
      "\x9b",
      "\x9c",
      "\x9d",
      "\x90",
      "31;1",
      "m",
      "\n",
    ),
    fc.constantFrom(
      "\r",
      "\t",
      "\x00",
      "\x18",
      "\u202e",
      "\u2069",
      "\x7f",
      "\ud83d",
      "\ude00",
      "(",
      "0;title",
      "é",
      "漢",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  ),
  { maxLength: 40 },
);

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...at, text.length].map((end, i) => text.slice(at[i - 1] ?? 0, end));
}

test("§7 cleaned text has no control characters and does not depend on how it was split", () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.nat()), (given, places) => {
      const text = given.join("");
      const cleaner = openCleaner();
      const whole = cleanText(text);
      const split =
        cut(text, places)
          .map((part) => cleaner.push(part))
          .join("") + cleaner.end();
      expect(split).toBe(whole);
      expect(steering.test(whole)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test("§7 text without anything to clean passes unchanged", () => {
  const text = "Grüße, 漢字, 👩‍👩‍👧, e\u0301, \tcolumns\nand lines ‏עברית";
  expect(cleanText(text)).toBe(text);
});

test.each([
  ["colour", "a\x1b[31mb\x1b[0mc", "abc"],
  ["title by OSC and BEL", "a\x1b]0;evil\x07b", "ab"],
  ["clipboard by OSC and ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"],
  ["DCS, APC, PM, SOS", "a\x1bPq\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde"],
  ["8-bit CSI and OSC", "a\x9b31mb\x9d0;x\x9cc", "abc"],
  ["a two-character escape and a charset", "a\x1bcb\x1b(0c", "abc"],
  ["CR, backspace, BEL, NUL, DEL", "a\rb\bc\x07d\0e\x7ff", "abcdef"],
  ["CR LF", "a\r\nb", "a\nb"],
  ["bidi override", "a\u202eb\u2066c", "abc"],
  ["a string that is never closed ends with its line", "a\x1b]0;x\nb", "a\nb"],
  ["a CSI cut off by a newline", "a\x1b[3\nb", "a\nb"],
  ["an escape in the middle of an escape", "a\x1b\x1b[31mb", "ab"],
])("§7 %s", (_name, text, expected) => {
  expect(cleanText(text)).toBe(expected);
});

test("§7 a field of one line stays one line", () => {
  expect(cleanLine(" a\nb\tc\u2028d\x1b[2J ")).toBe("a b c d");
});

test("C1 without cleaning the bytes are the model's, whole code points also over a split", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat()), (text, places) => {
      const stream = openWhole();
      const encoder = new TextEncoder();
      const parts = [...cut(text, places).map((part) => stream.push(part)), stream.end()];
      const bytes = parts.flatMap((part) => [...encoder.encode(part)]);
      expect(bytes).toEqual([...encoder.encode(text)]);
    }),
  );
});

test("§7 JSON on a terminal keeps its value", () => {
  const json = JSON.stringify({ a: "x\u009b31m\u202ey\x7f" });
  expect(steering.test(cleanJson(json))).toBe(false);
  expect(JSON.parse(cleanJson(json))).toEqual(JSON.parse(json));
});

test("§7 laws of the cleaner: clean stays clean, nothing is added or moved, and no line swallows the next", () => {
  fc.assert(
    fc.property(pieces, fc.string({ unit: "grapheme" }), (given, line) => {
      const text = given.join("");
      const once = cleanText(text);
      expect(cleanText(once)).toBe(once);
      let at = 0;
      for (const unit of once.split("")) at = text.indexOf(unit, at) + 1 || Number.NaN;
      expect(at).not.toBeNaN();
      const next = cleanText(line);
      expect(cleanText(`${text}\n${next}`)).toEndWith(`\n${next}`);
    }),
    { numRuns: 2_000 },
  );
});

test("§7 a line field and JSON: one line, nothing that steers, and JSON of any text keeps its value", () => {
  fc.assert(
    fc.property(pieces, (given) => {
      const text = given.join("");
      const line = cleanLine(text);
      expect(line).not.toMatch(steering);
      expect(line).not.toMatch(/[\n\t\u2028\u2029]/);
      const json = cleanJson(JSON.stringify({ [text]: [text] }));
      expect(json).not.toMatch(steering);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }),
    { numRuns: 1_000 },
  );
});
