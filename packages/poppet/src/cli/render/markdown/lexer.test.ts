import { expect, test } from "bun:test";
import fc from "fast-check";
import { languageOf } from "./languages.ts";
import { openLexer } from "./lexer.ts";

/** Coloured pieces as `role(text)`, joined where they go on. */
function colored(info: string, pieces: readonly string[]): string {
  const runs: { role: string; text: string }[] = [];
  const lexer = openLexer(languageOf(info), (text, role) => {
    const last = runs.at(-1);
    if (last !== undefined && last.role === (role ?? "")) last.text += text;
    else runs.push({ role: role ?? "", text });
  });
  for (const piece of pieces) {
    for (const [i, line] of piece.split("\n").entries()) {
      if (i > 0) lexer.endLine();
      if (i > 0) runs.push({ role: "", text: "\n" });
      lexer.push(line);
    }
  }
  lexer.endLine();
  return runs.map(({ role, text }) => (role === "" ? text : `${role}(${text})`)).join("");
}

test.each([
  ["ts", "const a = 1; // x", "keyword(const) a = number(1); comment(// x)"],
  ["js", "a.return /* b\nc */ d", "a.return comment(/* b)\ncomment(c */) d"],
  ["javascript", "`a {b}\nc` + 'd\\'e'", "string(`a {b})\nstring(c`) + string('d\\'e')"],
  ["python", '"""a\n"b" """ + "" # c', 'string("""a)\nstring("b" """) + string("") comment(# c)'],
  ["py", "x = 'never closed\ny = 0x1F", "x = string('never closed)\ny = number(0x1F)"],
  ["bash", 'echo "$#" a#b # c', 'keyword(echo) string("$#") a#b comment(# c)'],
  ["sql", "SELECT 'it''s' -- x", "keyword(SELECT) string('it''s') comment(-- x)"],
  ["rust", "fn f<'a>(x: &'a str) {}", "keyword(fn) f<'a>(x: &'a keyword(str)) {}"],
  ["lua", "--[[ a\nb ]] local x -- c", "comment(--[[ a)\ncomment(b ]]) keyword(local) x comment(-- c)"],
  ["html", '<a href="x">don\'t</a><!-- b -->', 'tag(<a) href=string("x")>don\'ttag(</a)>comment(<!-- b -->)'],
  ["diff", "--- a\n+++ b\n@@ 1\n-c\n+d\n e", "dim(--- a)\ndim(+++ b)\nkeyword(@@ 1)\ndeleted(-c)\ninserted(+d)\n e"],
  ["yaml", "a: true # b\nc: d#e", "a: keyword(true) comment(# b)\nc: d#e"],
  ["json", '{"a": [1, null]}', '{string("a"): [number(1), keyword(null)]}'],
  ["toml", "a = 'b' # c", "a = string('b') comment(# c)"],
  ["go", "x := `a\\`", "x := string(`a\\`)"],
  ["unknown", "const a = 'b' // c", "const a = 'b' // c"],
  ["", "const", "const"],
  ["constructor", "const", "const"],
])("C1 code in %p: %j", (info, code, expected) => {
  expect(colored(info, [code])).toBe(expected);
});

test("C1 a language has many names", () => {
  for (const [name, other] of [
    ["TypeScript", "ts"],
    ["{.python title=x}", "py"],
    ["language-rust", "rs"],
    ["js title", "jsx"],
    ["C++", "c"],
    ["ts:app.ts", "ts"],
  ] as const)
    expect(languageOf(name)).toBe(languageOf(other));
});

const languages = ["ts", "py", "sh", "sql", "html", "diff", "lua", "yaml", "css", "go", "x"];
const code = fc
  .array(
    fc.constantFrom(
      ..."/*-#'\"`\\<>[]!=.$@ \n+1a",
      "//",
      "/*",
      "*/",
      "--[[",
      "]]",
      '"""',
      "return",
      "true",
      "<!--",
      "-->",
      "const x",
      "éß",
      "漢",
      "𝑥",
      "0x1F",
      "x".repeat(45),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

test("C1 the code stays as it is, and its colours do not depend on how it arrived", () => {
  fc.assert(
    fc.property(code, fc.constantFrom(...languages), (text, language) => {
      const whole = colored(language, [text]);
      expect(colored(language, Array.from(text))).toBe(whole);
      let kept = "";
      const lexer = openLexer(languageOf(language), (piece) => {
        kept += piece;
      });
      for (const line of text.split("\n")) {
        lexer.push(line);
        lexer.endLine();
        kept += "\n";
      }
      expect(kept).toBe(`${text}\n`);
    }),
    { numRuns: 3_000 },
  );
});

test("C1 held back is a word until it ends, and what may begin a comment or a string", () => {
  let written = "";
  const lexer = openLexer(languageOf("python"), (text) => {
    written += text;
  });
  const after = (text: string) => {
    written = "";
    lexer.push(text);
    return written;
  };
  expect(after("ret")).toBe("");
  expect(after("urn ")).toBe("return ");
  expect(after('"')).toBe("");
  expect(after("a")).toBe('"a');
  expect(after("b c")).toBe("b c");
  expect(after('" + ')).toBe('" + ');
  expect(after("x".repeat(60))).toBe("x".repeat(40));
});
