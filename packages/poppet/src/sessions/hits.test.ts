import { expect, test } from "bun:test";
import fc from "fast-check";
import { segmented } from "../store/segment.ts";
import { highlights } from "./hits.ts";

/** The text with what is highlighted between stars. */
function starred(query: string, text: string): string {
  let shown = "";
  let at = 0;
  for (const { start, end } of highlights(query, [text])[0] ?? []) {
    shown += `${text.slice(at, start)}*${text.slice(start, end)}*`;
    at = end;
  }
  return shown + text.slice(at);
}

test.each([
  ["sky blue", "Blue sky, skyline; BLUE!", "*Blue* *sky*, skyline; *BLUE*!"],
  ["cafe", "Café CAFÉ cafes", "*Café* *CAFÉ* cafes"],
  ["天気", "今日の天気は良い。天の気", "今日の*天気*は良い。天の気"],
  ["한국", "한국어", "*한국*어"],
  ["foo-bar", "foo bar foo/bar foo x bar", "*foo bar* *foo/bar* foo x bar"],
  ["ΣΟΦΟΣ", "σοφός", "*σοφός*"],
  ["ｆｕｌｌ", "full width", "*full* width"],
  ["กำ", "กำลัง", "*กำ*ลัง"],
  ["!? ...", "nothing! here?", "nothing! here?"],
  ["a b", "a b ab", "*a* *b* ab"],
])("C10 %j is set apart where the search finds it", (query, text, expected) => {
  expect(starred(query, text.normalize("NFC"))).toBe(expected.normalize("NFC"));
});

const word = fc.constantFrom(
  "sky",
  "Blue",
  "café",
  "漢字",
  "กำลัง",
  "한국어",
  "👩‍👩‍👧‍👦",
  "e\u0301\u0323",
  "x-y",
  "नमस्ते",
  "．",
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", "", ", ", "-")), { maxLength: 20 })
  .map((list) => list.flat().join("").normalize("NFC"));

test("C10 law: whole graphemes, in order and apart; each has a term's words, and none where a term is not", () => {
  fc.assert(
    fc.property(text, fc.array(word, { minLength: 1, maxLength: 3 }), (text, terms) => {
      const query = terms.join(" ");
      const [hits = []] = highlights(query, [text]);
      const bounds = new Set([text.length, ...[...new Intl.Segmenter().segment(text)].map((one) => one.index)]);
      let at = -1;
      for (const { start, end } of hits) {
        expect(start).toBeGreaterThan(at);
        expect(end).toBeGreaterThan(start);
        expect(bounds.has(start) && bounds.has(end)).toBe(true);
        at = end;
      }
      const phrases = terms.map(segmented).filter((phrase) => phrase !== "");
      const words = ` ${segmented(text)} `;
      const found = phrases.some((phrase) => words.includes(` ${phrase} `));
      expect(hits.length > 0).toBe(found);
      for (const { start, end } of hits) {
        const own = ` ${segmented(text.slice(start, end))} `;
        expect(phrases.some((phrase) => own.includes(` ${phrase} `))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
