import { expect, test } from "bun:test";
import fc from "fast-check";
import { noInk, openPen } from "./pen.ts";
import { openWrap } from "./wrap.ts";

interface Wrapped {
  readonly pieces: readonly string[];
  readonly columns: number;
  readonly hang?: string;
  readonly exact?: boolean;
}

/** What was written after each piece, and at the end of the line. */
function steps({ pieces, columns, hang = "", exact = false }: Wrapped): readonly string[] {
  const pen = openPen();
  const wrap = openWrap(pen, { columns: () => columns, exact });
  const spans = hang === "" ? [] : [{ text: hang, ink: noInk }];
  wrap.start(spans, spans);
  const written = pieces.map((piece) => {
    wrap.text(piece, noInk);
    return pen.take();
  });
  wrap.end();
  return [...written, pen.take()];
}

function wrapped(text: string, columns: number, hang = ""): string {
  return steps({ pieces: [text], columns, hang }).join("");
}

test("C1 lines are broken between words, and the blank goes", () => {
  expect(wrapped("one two three", 7)).toBe("one two\nthree\n");
  expect(wrapped("one two  three", 8)).toBe("one two\nthree\n");
  expect(wrapped("exactly", 7)).toBe("exactly\n");
  expect(wrapped("exactly so", 7)).toBe("exactly\nso\n");
});

test("C1 a word that is longer than the line is left to the terminal, so that it is copied whole", () => {
  expect(wrapped("an incomprehensible word", 8)).toBe("an\nincomprehensible\nword\n");
  expect(wrapped("abcdefghij k", 8)).toBe("abcdefghij k\n");
});

test("C1 what a line is continued with is indented under it, but never by more than half", () => {
  expect(wrapped("one two three", 9, "  ")).toBe("  one two\n  three\n");
  expect(wrapped("one two three", 9, "      ")).toBe("      one\ntwo three\n");
});

test.each([
  ["CJK, between any two", "漢字漢字漢字", 7, "漢字漢\n字漢字\n"],
  ["CJK beside Latin", "ab漢字cd", 7, "ab漢字\ncd\n"],
  ["kana and full-width signs, which begin no line", "テスト。です", 7, "テス\nト。で\nす\n"],
  ["closing signs, several in a row, after Latin too", "ab cde。」漢「", 9, "ab\ncde。」漢\n「\n"],
  ["closing signs that fit", "漢字。漢", 7, "漢字。\n漢\n"],
  ["closing signs without end", "漢ーーーー", 7, "漢ーー\nーー\n"],
  ["Thai", "กขคงจฉชซ", 7, "กขคงจฉช\nซ\n"],
  ["Hangul, at blanks", "한국어 문장", 9, "한국어\n문장\n"],
  ["emoji of several parts, by the most that a terminal gives them", "👩‍👩‍👧👩‍👩‍👧", 11, "👩‍👩‍👧\n👩‍👩‍👧\n"],
  ["flags", "🇩🇪🇫🇷🇪🇸🇮🇹", 7, "🇩🇪🇫🇷🇪🇸\n🇮🇹\n"],
  ["skin tones", "👍🏽👍🏽👍🏽", 8, "👍🏽👍🏽\n👍🏽\n"],
  ["signs that are made emoji", "❤️❤️❤️❤️", 7, "❤️❤️❤️\n❤️\n"],
  ["combining marks take no room", "e\u0301e\u0301e\u0301e\u0301 abc", 8, "e\u0301e\u0301e\u0301e\u0301 abc\n"],
  ["a no-break space is no place to break", "aaa bb\u00a0cc", 7, "aaa\nbb\u00a0cc\n"],
] as const)("C1 %s", (_name, text, columns, expected) => {
  expect(wrapped(text, columns)).toBe(expected);
});

test("C1 with room for any usual word characters are written as they arrive", () => {
  const written = steps({ pieces: [..."some words"], columns: 80 });
  expect(written).toEqual(["s", "o", "m", "e", "", " w", "o", "r", "d", "s", "\n"]);
});

test("C1 near the margin a word waits until it has ended or does not fit", () => {
  expect(steps({ pieces: ["aaaa", " b", "b", " ", "c"], columns: 8 })).toEqual(["aaaa", "", "", " bb", "\nc", "\n"]);
  expect(steps({ pieces: ["aaaa", " b", "bb", "b", "b"], columns: 8 })).toEqual(["aaaa", "", "", "\nbbbb", "b", "\n"]);
});

test("C1 an emoji waits for what may join it, a letter does not", () => {
  expect(steps({ pieces: ["👩", "\u200d", "👧", "漢"], columns: 80 })).toEqual(["", "", "", "👩\u200d👧漢", "\n"]);
  expect(steps({ pieces: ["é", "漢", "한", "ж"], columns: 80 })).toEqual(["é", "漢", "한", "ж", "\n"]);
});

test("C1 a new width counts from the next line", () => {
  const pen = openPen();
  let columns = 10;
  const wrap = openWrap(pen, { columns: () => columns, exact: false });
  wrap.start([], []);
  wrap.text("aaa bbb ", noInk);
  columns = 5;
  wrap.text("ccc ddd eee", noInk);
  wrap.end();
  expect(pen.take()).toBe("aaa bbb\nccc\nddd\neee\n");
});

const prose = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        " ",
        "  ",
        "a",
        "word",
        "漢",
        "字。",
        "」",
        "ー",
        "👩‍👩‍👧",
        "🇩🇪",
        "👍🏽",
        "e\u0301",
        "नि",
        "ก็",
        "한국",
        "\u200b",
        "ж",
        "بت",
      ),
      fc.string({ unit: fc.constantFrom(..."abcdefgh ,.-"), maxLength: 12 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

/** Words that stand over the right margin although a line has room for them. */
function broken(written: string, columns: number): readonly string[] {
  return written.split("\n").flatMap((line) => {
    let at = 0;
    return (line.match(/ +|[^ ]+/g) ?? []).filter((word) => {
      const width = Bun.stringWidth(word);
      const from = at % columns;
      at += width;
      return word.trim() !== "" && width <= Math.min(columns, 24) && from + width > columns;
    });
  });
}

test("C1 no word is broken that fits a line, and no character is lost, doubled or moved", () => {
  fc.assert(
    fc.property(prose, fc.integer({ min: 7, max: 60 }), (text, columns) => {
      const written = wrapped(text, columns);
      // Where a word is too long, what follows it depends on how the terminal breaks wide characters.
      if (/^[ -~\n]*$/.test(text)) expect(broken(written, columns)).toEqual([]);
      else if (!text.split(" ").some((word) => Bun.stringWidth(word) > Math.min(columns, 24)))
        expect(written.split("\n").filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
      expect(written.replaceAll(/[ \n]/g, "")).toBe(text.replaceAll(" ", ""));
    }),
    { numRuns: 2_000 },
  );
});

test("C1 where the text was cut makes no difference, in exact mode neither, which only breaks lines", () => {
  fc.assert(
    fc.property(prose, fc.integer({ min: 7, max: 60 }), fc.boolean(), (text, columns, exact) => {
      const whole = steps({ pieces: [text], columns, exact }).join("");
      expect(steps({ pieces: text.split(/(?<![\ud800-\udbff])(?![\udc00-\udfff])/), columns, exact }).join("")).toBe(
        whole,
      );
      if (exact) expect(steps({ pieces: [text], columns: 10_000, exact }).join("")).toBe(`${text}\n`);
    }),
    { numRuns: 2_000 },
  );
});
