import { expect, test } from "bun:test";
import fc from "fast-check";
import { screenOf } from "../../../../test/screen.ts";
import { cleanText } from "../../../clean.ts";
import { openMarkdown } from "./render.ts";

const table = "| ab | cd |\n|---|:-:|\n| ef | some **words** of `code` |\n";
const fragments = [
  ..."*_`~#>|-+=[]()!<&\\.:'\" \thx^",
  "**",
  "***",
  "__",
  "~~",
  "```",
  "~~~\n",
  "\n",
  "\n\n",
  "- ",
  "* ",
  "1. ",
  "2) ",
  "> ",
  "# ",
  " ##",
  "---",
  "===",
  "    ",
  "](https://x.y/z)",
  "![",
  "https://",
  "http://a.b",
  "<b>",
  "<a@b.c>",
  "&amp;",
  "- [x] ",
  "|:-:|\n",
  "word",
  "longer-word-than-usual",
  "some words that go on for a while and then stop ",
  "```ts\n",
  'const a = "b"; // c',
  "/* ",
  "*/",
  '"""',
  "漢字",
  "テスト",
  "👩‍👩‍👧",
  "👍🏽",
  "🇩🇪",
  "e\u0301",
  "1\ufe0f\u20e3",
  "ก็",
  "नि",
  "\u200d",
  "\ud83d",
  "\x1b[31m",
  "\u202e",
];
const markdown = fc.array(fc.constantFrom(...fragments, table), { maxLength: 40 }).map((parts) => parts.join(""));
const screens = fc.record({
  columns: fc.constantFrom(7, 12, 40, 80, 200),
  colors: fc.constantFrom(0, 16, 256),
  links: fc.boolean(),
});

interface ScreenKind {
  readonly columns: number;
  readonly colors: number;
  readonly links: boolean;
}

function render(pieces: readonly string[], { columns, ...rest }: ScreenKind): string {
  const stream = openMarkdown({ columns: () => columns, ...rest });
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

function cut(text: string, places: readonly number[]): readonly string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...at, text.length].map((end, i) => text.slice(at[i - 1] ?? 0, end));
}

function unstyled(text: string): string {
  return text.replaceAll(/\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\/g, "");
}

function letters(text: string): string {
  return text.match(/\p{L}/gu)?.join("") ?? "";
}

test("C1 where the text was cut makes no difference, at any code unit", () => {
  fc.assert(
    fc.property(markdown, fc.array(fc.nat(), { maxLength: 30 }), screens, (text, places, screen) => {
      const whole = render([text], screen);
      expect(render(cut(text, places), screen)).toBe(whole);
      expect(render(text.split(""), screen)).toBe(whole);
    }),
    { numRuns: 3_000 },
  );
});

test("C1 where the bytes were cut makes no difference", () => {
  fc.assert(
    fc.property(markdown, fc.array(fc.nat(), { maxLength: 30 }), screens, (text, places, screen) => {
      const bytes = new TextEncoder().encode(text);
      const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
      const decoder = new TextDecoder();
      const pieces = [...at, bytes.length].map((end, i) =>
        decoder.decode(bytes.subarray(at[i - 1] ?? 0, end), { stream: true }),
      );
      expect(render(pieces, screen)).toBe(render([new TextDecoder().decode(bytes)], screen));
    }),
    { numRuns: 1_000 },
  );
});

test("C1 without styles, and without tables, it is the text itself with line ends added", () => {
  fc.assert(
    fc.property(markdown, fc.constantFrom(7, 40, 1_000_000), (given, columns) => {
      const text = cleanText(given.replaceAll("|", ""));
      const written = render([given.replaceAll("|", "")], { columns, colors: 0, links: false });
      if (columns === 1_000_000) expect(written).toBe(text);
      const bare = (some: string) => some.replaceAll(/[\s>]/g, "");
      expect(bare(written)).toBe(bare(text));
    }),
    { numRuns: 3_000 },
  );
});

test("C1 with styles no letter is lost, doubled or moved", () => {
  fc.assert(
    fc.property(markdown, fc.constantFrom(7, 40, 1_000_000), fc.constantFrom(16, 256), (given, columns, colors) => {
      // Narrow tables put the lines of their cells side by side; entities turn into what they stand for.
      const text = (columns === 1_000_000 ? given : given.replaceAll("|", "")).replaceAll("&", "");
      // Of an image in a link the name is shown, and of the two addresses the link's.
      fc.pre(!/\]\([^[]*\]\(/.test(text));
      // Where an address leads is told in ASCII letters.
      fc.pre(!/https?:\/\/[\x21-\x7e]*[^\x00-\x7f]/.test(cleanText(text)));
      const written = unstyled(render([text], { columns, colors, links: false }));
      expect(letters(written)).toBe(letters(cleanText(text)));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["[![a](https://x.y/z)](https://x.y/w)", "a (https://x.y/w)"],
  ["[![](https://x.y/z)](https://x.y/w)", "(https://x.y/w)"],
  ["[https://x.y/z](https://x.y/z)", "https://x.y/z"],
  ["![](https://x.y/z)", "https://x.y/z"],
])("C1 %j has one address: %j", (text, expected) => {
  expect(unstyled(render([text], { columns: 1_000, colors: 16, links: false }))).toBe(expected);
});

test("§7 nothing is written but text, line ends, colours and links: no cursor moves, nothing is cleared", () => {
  fc.assert(
    fc.property(markdown, screens, (text, screen) => {
      const written = render([text], screen);
      expect(unstyled(written)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      if (screen.colors === 0) expect(written).not.toContain("\x1b");
      for (const [, url = ""] of written.matchAll(/\x1b\]8;;([^\x1b]*)/g))
        expect(url).toMatch(/^(?:(?:https?:\/\/|mailto:)[\x21-\x7e]+)?$/);
      for (const line of written.split("\n")) {
        const sgr = [...line.matchAll(/\x1b\[([\d;]*)m/g)].at(-1)?.[1] ?? "0";
        if (line !== written.split("\n").at(-1)) expect(sgr).toBe("0");
      }
    }),
    { numRuns: 2_000 },
  );
});

const hostile = [
  "[",
  "]",
  "[a](",
  "[[a]",
  "![[a](b)",
  "*",
  "**a",
  "*a ",
  "_a ",
  "`a",
  "``a ",
  "~~a",
  "> ",
  ">",
  "- ",
  "1. ",
  "#",
  " #",
  " ",
  "\t",
  "\n",
  "|",
  "|a",
  "| a |\n|-|\n",
  "<a",
  "&#",
  "\\",
  "http://",
  "a",
  "漢",
  "👩‍",
  "\u0301",
  "🇩",
  "```\n",
  "```ts\n'",
  "---\n",
  "\ud83d",
];

test.each(hostile)(
  "§7 a hundred thousand of %j: the work grows with the text and no faster, little is held back",
  (part) => {
    const unit = 25_000;
    const text = part.repeat(Math.ceil((4 * unit) / part.length)).slice(0, 4 * unit);
    for (const colors of [0, 16]) {
      const stream = openMarkdown({ columns: () => 80, colors, links: true });
      let written = 0;
      for (let at = 0; at < text.length; at += 7) written += stream.push(text.slice(at, at + 7)).length;
      const held = stream.end().length;
      // What is held back at most: the rows of a table, which is more than any other mark.
      expect(held).toBeLessThan(40_000);
      if (!/^\s|\|/.test(part)) expect(written + held).toBeGreaterThan(100);
    }
  },
);

test("§7 deep nesting ends somewhere", () => {
  const items = Array.from({ length: 400 }, (_, i) => `${"  ".repeat(i)}- a\n`).join("");
  const quotes = `${"> ".repeat(10_000)}a\n`.repeat(3);
  for (const text of [items, quotes]) {
    for (const colors of [0, 256]) {
      const written = render([text], { columns: 7, colors, links: false });
      expect(letters(unstyled(written))).toBe(letters(text));
    }
  }
});

const sample = `# A title

Some **bold** and \`code\`, a [link](https://example.com/) and 漢字テスト in a paragraph that goes on.
Families 👩‍👩‍👧👩‍👩‍👧, flags 🇩🇪🇫🇷, tones 👍🏽👍🏽, marks e\u0301.

- one
  1. two with words to wrap
- [x] done

> quoted text

\`\`\`ts
const answer = 42; // a line of code that is long
\`\`\`

| key | value |
| --- | ----- |
| one | some words |
`;

for (const columns of [7, 40, 80, 200]) {
  for (const colors of [0, 16, 256]) {
    test(`C1 the screen of ${columns} columns in ${colors} colours shows the lines as they were written`, async () => {
      const written = render([sample], { columns, colors, links: true });
      const { text, wrapped } = await screenOf(written, columns);
      const rows = text.split("\n");
      const lines: string[] = [];
      for (const [i, row] of rows.entries()) {
        if (wrapped[i]) lines.push(`${lines.pop() ?? ""}${row}`);
        else lines.push(row);
      }
      const squeeze = (line: string) => line.replaceAll(" ", "");
      expect(lines.map(squeeze)).toEqual(unstyled(written).trimEnd().split("\n").map(squeeze));
      // Only code and words that are too long are left to the terminal.
      for (const [i, row] of rows.entries()) if (wrapped[i] && columns >= 40) expect(row).toMatch(/code|answer|long/);
    });
  }
}

test("C1 the screen at 40 columns", async () => {
  const { text } = await screenOf(render([sample], { columns: 40, colors: 256, links: true }), 40);
  expect(text).toBe(`A title

Some bold and code, a link and 漢字テス
ト in a paragraph that goes on.
Families 👩‍👩‍👧👩‍👩‍👧, flags 🇩🇪🇫🇷, tones
👍🏽👍🏽, marks e\u0301.

• one
  1. two with words to wrap
• [x] done

│ quoted text

\`\`\`ts
const answer = 42; // a line of code tha
t is long
\`\`\`

key │ value
────┼───────────
one │ some words`);
});

test("C1 the screen at 7 columns", async () => {
  const { text } = await screenOf(
    render(["- one two\n  - deep words\n\n> quoted\n"], { columns: 7, colors: 0, links: false }),
    7,
  );
  expect(text).toBe("- one\n  two\n  - \ndeep\nwords\n\n> quote\nd");
});
