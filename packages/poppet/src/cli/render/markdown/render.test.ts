import { expect, test } from "bun:test";
import { type MarkdownOptions, openMarkdown, renderMarkdown } from "./render.ts";

/** Inks by name in angle brackets, to be read. */
function named(text: string): string {
  return text
    .replaceAll("\x1b[0m", "</>")
    .replaceAll(/\x1b\[(?:0;)?([\d;]+)m/g, "<$1>")
    .replaceAll(/\x1b\]8;;([^\x1b]*)\x1b\\/g, "{$1}");
}

function drawn(text: string, options: Partial<MarkdownOptions> = {}): string {
  return named(renderMarkdown(text, { columns: () => 80, colors: 16, links: false, ...options }));
}

function unstyled(text: string, columns = 80): string {
  return renderMarkdown(text, { columns: () => columns, colors: 0, links: false });
}

const links = { links: true };

test.each([
  ["strong", "a **b c** d", "a <1>b c</> d"],
  ["emphasis", "a *b* and _c_", "a <3>b</> and <3>c</>"],
  ["both", "***b***", "<1;3>b</>"],
  ["nested", "**a *b* c**", "<1>a <1;3>b<1> c</>"],
  ["struck out", "~~a~~ but ~5", "<9>a</> but ~5"],
  ["code", "a `b **c**` d", "a <35>b **c**</> d"],
  ["code with backticks", "`` a`b ``", "<35>a`b</>"],
  ["inside a word", "un**bel**ievable", "un<1>bel</>ievable"],
  ["around signs beside CJK", "这是**「重点」**内容", "这是<1>「重点」</>内容"],
  ["over two lines, once it is believed", `**${"a".repeat(40)}\nb** c`, `<1>${"a".repeat(40)}</>\n<1>b</> c`],
  ["a lone star", "2 * 3 * 4", "2 * 3 * 4"],
  ["a power", "2**8 and more text than anybody waits for here", "2**8 and more text than anybody waits for here"],
  ["a pattern", "all *.ts files", "all *.ts files"],
  ["names with underscores", "snake_case_name and __", "snake_case_name and __"],
  ["marks that are not closed", "a **b\n\na `c\n\n[d](e", "a **b\n\na `c\n\n[d](e"],
  ["escapes", "\\*a\\* \\_ \\a", "*a* _ \\a"],
  ["hard breaks", "a  \nb\\\nc", "a\nb\nc"],
  ["entities", "&lt;a&gt; &amp; &#x41;&eacute;", "<a> & A&eacute;"],
  ["HTML is text", "<b>a</b> <!-- c -->", "<b>a</b> <!-- c -->"],
])("C1 %s", (_name, text, expected) => {
  expect(drawn(text)).toBe(expected);
});

test.each([
  ["a link", "[a b](https://x.y/z 'title')", "<4;34>a b</> <2>(https://x.y/z)</>"],
  ["a link that is its text", "[https://x.y](https://x.y/)", "<4;34>https://x.y</>"],
  ["a bare address, without the punctuation behind it", "see https://x.y/a_(b).", "see <4;34>https://x.y/a_(b)</>."],
  ["an address in angles", "<https://x.y/> <a@b.c>", "<4;34>https://x.y/</> <4;34>a@b.c</>"],
  ["an image", "![alt](https://x.y/z.png)", "<4;34>alt</> <2>(https://x.y/z.png)</>"],
  ["an image in a link", "[![alt](a.png)](https://x.y/)", "<4;34>alt</> <2>(https://x.y/)</>"],
  ["a place in the same repository", "[a](./b.md)", "<4;34>a</> <2>(./b.md)</>"],
  ["brackets that are none", "[1] and [x](", "[1] and [x]("],
])("C1 %s", (_name, text, expected) => {
  expect(drawn(text)).toBe(expected);
});

test.each([
  ["a link", "[a **b**](https://x.y/z)", "{https://x.y/z}<4;34>a <4;34;1>b{}</>"],
  ["a bare address", "https://x.y/z", "{https://x.y/z}<4;34>https://x.y/z{}</>"],
  ["no other scheme", "[a](javascript:alert(1))", "<4;34>a</> <2>(javascript:alert(1))</>"],
  ["no file", "[a](file:///etc/passwd)", "<4;34>a</> <2>(file:///etc/passwd)</>"],
  [
    "a text that names another host says where it goes",
    "[bank.com](https://evil.example/)",
    "{https://evil.example/}<4;34>bank.com{}</> <2>(https://evil.example/)</>",
  ],
  ["a host in another script is spelled out", "[a](https://аpple.com/)", "{https://xn--pple-43d.com/}<4;34>a{}</>"],
  ["controls are gone", "[a](https://x.y/\x1b]8;;evil\x07z)", "{https://x.y/z}<4;34>a{}</>"],
  ["controls by entity stay text", "&#27;[31m &#x202e;", "&#27;[31m &#x202e;"],
])("§7 links in a terminal that knows them: %s", (_name, text, expected) => {
  expect(drawn(text, links)).toBe(expected);
});

test.each([
  ["a heading", "# One ##\n## Two #2\n#three", "<1;4;36>One</>\n<1;36>Two #2</>\n#three"],
  ["a heading that is underlined", "One\n===\ntext", `One\n<2>${"═".repeat(60)}</>\ntext`],
  ["a rule", "a\n\n* * *\n\nb", `a\n\n<2>${"─".repeat(60)}</>\n\nb`],
  ["one blank line at most", "a\n\n\n\nb\n\n", "a\n\nb\n"],
  ["bullets by depth", "- a\n  - b\n    - c\n- d", "<36>• </>a\n  <36>◦ </>b\n    <36>▪ </>c\n<36>• </>d"],
  ["numbers as they are", "1. a\n3. b", "<36>1. </>a\n<36>3. </>b"],
  [
    "numbers that are all alike are counted",
    "1. a\n1. b\n\n   more\n1. c",
    "<36>1. </>a\n<36>2. </>b\n\n   more\n<36>3. </>c",
  ],
  ["an item under a number, indented by two", "1. a\n  - b\n2. c", "<36>1. </>a\n   <36>• </>b\n<36>2. </>c"],
  ["tasks", "- [x] a\n- [ ] b", "<36>• [x] </>a\n<36>• [ ] </>b"],
  ["a year in a paragraph is no list", "It\n2024. was\n1986", "It\n2024. was\n1986"],
  ["quotes", "> a\n> > b\n>\n> c\n\nd", "<2>│ </>a\n<2>│ │ </>b\n<2>│</>\n<2>│ </>c\n\nd"],
  ["a quote that goes on without its mark", "> a\nb", "<2>│ </>a\n<2>│ </>b"],
  ["indented code", "a\n\n    b  c\n", "a\n\n<35>b  c</>\n"],
])("C1 %s", (_name, text, expected) => {
  expect(drawn(text)).toBe(expected);
});

test("C1 code keeps its lines, its indentation and its marks, also in an item", () => {
  expect(drawn("```\n  **a**\n\n\tb\n```\nc")).toBe("<2>```</>\n  **a**\n\n\tb\n<2>```</>\nc");
  expect(drawn("- a\n  ~~~\n  b\n    c\n  ~~~\n  d")).toBe("<36>• </>a\n  <2>~~~</>\n  b\n    c\n  <2>~~~</>\n  d");
  expect(drawn("````\n```\n````")).toBe("<2>````</>\n```\n<2>````</>");
});

test("C1 a long line of code is left to the terminal, which copies it whole", () => {
  const line = `x = ${"very_long_name + ".repeat(20)}`;
  expect(drawn(`\`\`\`\n${line}\n\`\`\``, { columns: () => 20 })).toBe(`<2>\`\`\`</>\n${line}\n<2>\`\`\`</>`);
});

const table = "| Name | Size |\n|:--|--:|\n| a **b** | 1 |\n| c\\|d | 22 |\n\nafter";

test("C1 a table is set in columns by what is in them", () => {
  expect(drawn(table)).toBe(
    ["<1>Name<2> │ <1>Size</>", "<2>─────┼─────</>", "a <1>b</> <2> │ </>   1", "c|d <2> │ </>  22", "", "after"].join(
      "\n",
    ),
  );
  expect(unstyled(table)).toBe(
    "| Name    | Size |\n| ------- | ---: |\n| a **b** |    1 |\n| c|d     |   22 |\n\nafter",
  );
});

test("C1 a table that is too wide wraps its cells at words, with its rows set apart", () => {
  const text = "| k | v |\n|---|---|\n| one | some words to wrap |\n| two | 漢字漢字漢字 |\n";
  expect(unstyled(text, 20)).toBe(
    "| k   | v          |\n| --- | ---------- |\n| one | some words |\n|     | to wrap    |\n| two | 漢字漢字漢 |\n|     | 字         |\n",
  );
  expect(drawn(text, { columns: () => 16 })).toBe(
    [
      "<1>k</>  <2> │ <1>v</>",
      "<2>────┼───────────</>",
      "one<2> │ </>some words",
      "   <2> │ </>to wrap",
      "<2>────┼───────────</>",
      "two<2> │ </>漢字漢字漢",
      "   <2> │ </>字",
      "",
    ].join("\n"),
  );
});

test("C1 where there is no room for the columns each cell is a line of its own", () => {
  expect(drawn("| ab | cd | ef |\n|---|---|---|\n| one | two words | three |\n", { columns: () => 7 })).toBe(
    "<1>ab</>: one\n<1>cd</>: two\nwords\n<1>ef</>:\nthree\n",
  );
});

test("C1 lines in a cell, cells too many and too few", () => {
  expect(unstyled("|a|b|\n|-|-|\n|1|\n|1|2|3|\n")).toBe("| a | b     |\n| - | ----- |\n| 1 |       |\n| 1 | 2 | 3 |\n");
  expect(drawn("|a|b|\n|-|-|\n|1<br>2|3|\n")).toBe("<1>a<2> │ <1>b</>\n<2>──┼──</>\n1<2> │ </>3\n2<2> │ </>\n");
});

test("C1 a line that begins as a table and is none is text", () => {
  expect(drawn("| a **b** |\nc\n| d")).toBe("| a <1>b</> |\nc\n| d");
});

test("C1 a long table is drawn before it ends, in the widths of its first rows", () => {
  const markdown = openMarkdown({ columns: () => 40, colors: 0, links: false });
  const head = markdown.push(`| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(199)}`);
  expect(head).toBe("");
  expect(markdown.push("| 1 | 2 |\n")).toStartWith("| a | b |\n");
  expect(markdown.push("| 3 | 4 |\n")).toBe("| 3 | 4 |\n");
});

test("C1 an address goes to the next line where it fits there", () => {
  const text = "See https://example.com/a/rather/long/path and [text](https://example.com/another/path).";
  expect(drawn(text, { columns: () => 40 })).toBe(
    [
      "See",
      "<4;34>https://example.com/a/rather/long/path</>",
      "and <4;34>text</>",
      "<2>(https://example.com/another/path)</>.",
    ].join("\n"),
  );
});

test("C1 without styles the marks are the styling", () => {
  const text = "# A *b*\n\n- **c** `d` [e](https://x.y)\n\n```ts\nconst a = 1;\n```\n> &amp; \\*\n";
  expect(unstyled(text)).toBe(text);
});

test("C1 text is shown as it arrives; held is what may still turn out otherwise", () => {
  const markdown = openMarkdown({ columns: () => 80, colors: 16, links: false });
  const said = (text: string) => named(markdown.push(text));
  expect(said("Hel")).toBe("Hel");
  expect(said("lo *")).toBe("lo");
  expect(said("*wor")).toBe("");
  expect(said("ld** ")).toBe(" <1>world");
  expect(said("`co")).toBe("");
  expect(said("de`")).toBe("");
  expect(said(".")).toBe("</> <35>code</>.");
  expect(said("\n")).toBe("\n");
  expect(said("-")).toBe("");
  expect(said(" ")).toBe("");
  expect(said("i")).toBe("<36>• </>i");
  expect(said("tem\n\n```js\n")).toBe("tem\n\n<2>```js</>\n");
  expect(said("const")).toBe("");
  expect(said(" x = 'a")).toBe("<35>const</> x = <32>'a");
  expect(said("bc")).toBe("bc");
  expect(markdown.open).toEqual({ before: "\x1b[32m", after: "\x1b[0m" });
  expect(said("'")).toBe("'");
  expect(named(markdown.end())).toBe("</>");
});

test("C1 long emphasis and code are believed before their end", () => {
  const markdown = openMarkdown({ columns: () => 200, colors: 16, links: false });
  expect(named(markdown.push(`**${"a".repeat(33)}`))).toBe(`<1>${"a".repeat(33)}`);
  expect(named(markdown.push("b** `"))).toBe("b");
  expect(named(markdown.push("c".repeat(50)))).toBe(`</> <35>${"c".repeat(50)}`);
});
