import { expect, test } from "bun:test";
import fc from "fast-check";
import { graphemes } from "../graphemes.ts";
import { type Key, type KeyName, openKeys } from "../keyboard/keys.ts";
import { type Editor, entered, newEditor, press, remember } from "./editor.ts";

function typed(editor: Editor, ...inputs: readonly string[]): Editor {
  const keys = openKeys();
  let now = editor;
  for (const input of inputs) {
    for (const key of [...keys.push(new TextEncoder().encode(input)), ...keys.flush()]) {
      const { editor: next, action } = press(now, key);
      now = action === "enter" ? entered(next) : next;
    }
  }
  return now;
}

/** The line with a bar where the cursor stands. */
function shown({ line }: Editor): string {
  return `${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}`;
}

test.each([
  [["hello", "\x1b[D\x1b[D", "X"], "helX|lo"],
  [["a👩‍👩‍👧b", "\x1b[D\x7f"], "a|b"],
  [["e\u0301x", "\x1b[D\x7f"], "|x"],
  [["🇩🇪🇫🇷", "\x7f"], "🇩🇪|"],
  [["one two, three", "\x1bb\x1bb"], "one |two, three"],
  [["one two, three", "\x01\x1bf"], "one| two, three"],
  [["one two, three", "\x17"], "one two, |"],
  [["one two, three", "\x01\x1bd"], "| two, three"],
  [["日本語を勉強する", "\x1bb"], "日本語を勉強|する"],
  [["one two", "\x15"], "|"],
  [["one two", "\x15", "\x19"], "one two|"],
  [["one two", "\x1bb", "\x0b", "\x01\x19 "], "two |one "],
  [["abc", "\x02\x04"], "ab|"],
  [["abc", "\x01\x1b[3~"], "|bc"],
  [["a\x1b[200~ b\tc \x1b[201~"], "a b c |"],
  [["\x1b[200~one line\n\x1b[201~"], "one line|"],
  [["\x1b[200~\n\n\x1b[201~"], "|"],
  [["\x1b[200~red \x1b[31mtext\u202e\x07\x1b[201~"], "red text|"],
] as const)("C3 %j makes %s", (inputs, expected) => {
  expect(shown(typed(newEditor, ...inputs))).toBe(expected);
});

test("C3 a paste of several lines is one line, and says so until the next key", () => {
  const pasted = typed(newEditor, "look: \x1b[200~one\r\n  two\r\n\r\nthree\x1b[201~");
  expect(shown(pasted)).toBe("look: one two three|");
  expect(pasted.hints).toEqual([expect.stringContaining("3 lines joined into one")]);
  expect(typed(pasted, "!").hints).toEqual([]);
});

test("C3 a paste that is too long is refused, and says what to do", () => {
  const pasted = typed(newEditor, "before", `\x1b[200~${"x".repeat(100_001)}\x1b[201~`);
  expect(shown(pasted)).toBe("before|");
  expect(pasted.hints[0]).toContain("poppet chat send ID < FILE");
});

const told = typed(newEditor, "first line\r", "second\r", "second\r", " \r", "third line\r");

test("C3 Up and Down go through the lines of this conversation, each once in a row, and back to what was typed", () => {
  expect(told.lines).toEqual(["first line", "second", "third line"]);
  const draft = typed(told, "half");
  const up = (times: number) => typed(draft, "\x1b[A".repeat(times));
  expect([1, 2, 3, 4].map((times) => shown(up(times)))).toEqual([
    "third line|",
    "second|",
    "first line|",
    "first line|",
  ]);
  expect(shown(typed(up(2), "\x1b[B\x1b[B"))).toBe("half|");
  expect(typed(up(2), " changed\r").lines).toEqual([...told.lines, "second changed"]);
});

test("C3 a message from before is among them as one line, and leaves what is being typed alone", () => {
  const draft = remember(typed(newEditor, "dra"), "two\nlines \x1b[31mred");
  expect(shown(draft)).toBe("dra|");
  expect(shown(typed(draft, "\x1b[A"))).toBe("two lines red|");
  expect(shown(typed(draft, "\x1b[A\x1b[Bft"))).toBe("draft|");
});

test("C3 Ctrl-R searches from the newest line back; Enter takes what was found", () => {
  const found = typed(told, "\x12li");
  expect(shown(found)).toBe("third |line");
  const older = typed(found, "\x12");
  expect(shown(older)).toBe("first |line");
  expect(shown(typed(older, "\x12"))).toBe("first |line");
  expect(typed(older, "\r").lines.at(-1)).toBe("first line");
});

test("C3 Ctrl-R: Ctrl-G brings the line back, Escape keeps what was found, an arrow goes on editing it", () => {
  const found = typed(told, "half\x12sec");
  expect(shown(typed(found, "\x07"))).toBe("half|");
  expect(shown(typed(found, "\x1b"))).toBe("|second");
  expect(shown(typed(found, "\x1b[C!"))).toBe("s!|econd");
  expect(shown(typed(found, "\x1b", "\x1b[B\x1b[B"))).toBe("half|");
  expect(shown(typed(told, "half\x12nothing"))).toBe("half|");
});

test("C3 Ctrl-R: the cursor stands before the whole character that has what was searched for; Backspace takes a whole one", () => {
  const lines = typed(newEditor, "cafe\u0301 🇩🇪\r");
  expect(shown(typed(lines, "\x12\u0301"))).toBe("caf|e\u0301 🇩🇪");
  expect(shown(typed(lines, "\x12🇪"))).toBe("cafe\u0301 |🇩🇪");
  const back = typed(lines, "\x12🇩🇪👩‍👩‍👧\x7f");
  expect(back.search?.query).toBe("🇩🇪");
  expect(shown(back)).toBe("cafe\u0301 |🇩🇪");
});

test("C3 whatever is pressed, the cursor stands between graphemes, and the text has no control characters", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 5 }),
    fc.constantFrom(
      "漢字",
      "👩‍👩‍👧",
      "e\u0301",
      "\u0301",
      "\u200d",
      "🇩🇪",
      "🇩",
      "한",
      "ㅎ",
      "word word",
      "\x1b[31m",
      "\u202e",
    ),
  );
  const named = fc.constantFrom<KeyName[]>(
    ...(["left", "right", "word-left", "word-right", "home", "end", "up", "down", "backspace", "delete"] as const),
    ...(["delete-word", "delete-word-left", "delete-word-right", "delete-end", "delete-line", "yank"] as const),
    ...(["enter", "escape", "search", "cancel", "end-of-input", "page-up"] as const),
  );
  const key: fc.Arbitrary<Key> = fc.oneof(
    text.map((value): Key => ({ name: "text", text: value })),
    text.map((value): Key => ({ name: "paste", text: value })),
    named.map((name): Key => ({ name })),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), (pressed) => {
      let editor = newEditor;
      for (const one of pressed) {
        const { editor: next, action } = press(editor, one);
        editor = action === "enter" ? entered(next) : next;
        let place = 0;
        const places = [0, ...graphemes(editor.line.text).map((grapheme) => (place += grapheme.length))];
        expect(editor.line.text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
        expect(places).toContain(editor.line.cursor);
        expect(editor.search?.query.isWellFormed() ?? true).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});
