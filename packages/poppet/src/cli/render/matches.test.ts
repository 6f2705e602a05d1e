import { expect, test } from "bun:test";
import { type FoundMatch, foundText } from "./matches.ts";
import { themeOf } from "./theme.ts";

const now = Date.UTC(2026, 10, 30, 18, 44);

/** The words between stars are the hits. */
function match(marked: string, more: Partial<FoundMatch> = {}): FoundMatch {
  const hits: { start: number; end: number }[] = [];
  let excerpt = "";
  for (const [i, part] of marked.split("*").entries()) {
    if (i % 2 === 1) hits.push({ start: excerpt.length, end: excerpt.length + part.length });
    excerpt += part;
  }
  return { shortId: "01890a5d", title: "A plan", createdAt: now - 120_000, role: "user", excerpt, hits, ...more };
}

/** What is drawn, words that are set apart between stars. */
function drawn(matches: readonly FoundMatch[], columns: number, truncated = false): string {
  const theme = themeOf(16);
  const text = foundText({ matches, truncated }, now, { columns, theme });
  return Bun.stripANSI(text.replaceAll(`\x1b[${theme?.found}m`, "*").replaceAll(/(\*[^\x1b]*)\x1b\[0m/g, "$1*"));
}

test("C10 a match has title, ID, time and speaker, and its words set apart", () => {
  const matches = [match("the *sky* is *blue*"), match("*Sky* is up", { role: "assistant", title: null })];
  expect(drawn(matches, 80, true)).toBe(`A plan
01890a5d  2 min ago  you
  the *sky* is *blue*

(unnamed)
01890a5d  2 min ago  Poppet
  *Sky* is up

There is more: add a word to narrow the search.
`);
  expect(drawn([], 80)).toBe("Nothing that was said has every one of these words.\n");
});

test("C10 a phrase that is wrapped is set apart on each of its rows", () => {
  const text = drawn([match("of *one two-three four* and")], 20);
  expect(text.split("\n").slice(2, -1)).toEqual(["  of *one two-three*", "  *four* and"]);
});

test("C10 at every width no row is wider than the screen, and styles add nothing to it", () => {
  const thumb = "👍";
  const matches = [match(`…漢*字*漢字、${thumb}*${thumb}* words of *the usual* kind…`.repeat(3))];
  for (const columns of [7, 40, 80, 200]) {
    const none = foundText({ matches: [], truncated: false }, now, { columns, theme: null });
    for (const line of none.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    const plain = foundText({ matches, truncated: true }, now, { columns, theme: null });
    for (const line of plain.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    const styled = foundText({ matches, truncated: true }, now, { columns, theme: themeOf(16) });
    expect(Bun.stripANSI(styled)).toBe(plain);
  }
});
