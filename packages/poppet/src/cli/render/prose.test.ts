import { expect, test } from "bun:test";
import fc from "fast-check";
import { inRole, plain, prose } from "./prose.ts";
import { themeOf } from "./theme.ts";

const on = (columns: number) => ({ columns, theme: null });
const rows = (text: string, columns: number) => prose([plain(text)], on(columns)).split("\n");

test("§7 rows end between words and beside wide characters; a word that is too long stays whole", () => {
  expect(rows("one two three", 7)).toEqual(["one two", "three"]);
  expect(rows("to 漢字漢字ok", 7)).toEqual(["to 漢字", "漢字ok"]);
  expect(rows("see https://example.com/a ok", 10)[1]).toStartWith("https://example.com/a");
  expect(rows("  indented code", 11)).toEqual(["  indented", "code"]);
  expect(prose([plain("a\n\nb\n")], on(7))).toBe("a\n\nb\n");
  expect(prose([plain("a\tb\n漢\tc")], on(40))).toBe("a       b\n漢      c");
});

test("§7 each row has its indent and its inks; without a width nothing changes", () => {
  const sheet = { columns: 9, theme: themeOf(16) };
  const spans = [plain("one "), inRole("two three", "found", sheet), plain(" end")];
  expect(prose(spans, sheet, "  ")).toBe("  one \x1b[1;33mtwo\x1b[0m\n  \x1b[1;33mthree\x1b[0m\n  end");
  const text = "a\tb  \n  long line that goes on";
  expect(prose([plain(text)], { columns: null, theme: null })).toBe(text);
});

const family = "👩‍👩‍👧‍👦";
const piece = fc.oneof(
  fc.constantFrom(" ", "  ", "\n", "word", "漢字", "、", "「", family, "🇩🇪", "e\u0301", "กำลัง", "한국어", "-"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const text = fc
  .array(piece, { maxLength: 60 })
  .map((list) => list.join("").replaceAll(/[[\p{Cc}\p{Zl}\p{Zp}]--\n]|^ +/gmv, ""));
/** One that is not waited for while an answer streams. */
const hasLongWord = (row: string, columns: number) =>
  row.split(" ").some((word) => Bun.stringWidth(word) > Math.min(columns, 24));
/** Some emoji count as eight columns, and stand alone where there is less room. */
const columns = fc.oneof(fc.constantFrom(12, 40, 80, 200), fc.integer({ min: 12, max: 90 }));

test("§7 law: no row is wider than the width but for one word, and nothing but spaces is left out", () => {
  fc.assert(
    fc.property(text, columns, (given, columns) => {
      const wrapped = prose([plain(given)], on(columns));
      for (const row of wrapped.split("\n")) {
        if (!hasLongWord(row, columns)) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns);
      }
      const bare = (whole: string) => whole.replaceAll(/[ \n]/g, "");
      expect(bare(wrapped)).toBe(bare(given));
    }),
    { numRuns: 500 },
  );
});
