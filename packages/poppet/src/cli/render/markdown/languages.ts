/** The languages whose code is coloured: what begins a comment and a string, and which words are keywords. */

export interface StringForm {
  readonly open: string;
  readonly close: string;
  /** A backslash takes the next character with it. */
  readonly escapes: boolean;
  /** It may go over lines; otherwise it ends with its line, whatever was forgotten. */
  readonly lines: boolean;
}

export interface Language {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  readonly strings: readonly StringForm[];
  readonly keywords: ReadonlySet<string>;
  readonly anyCase: boolean;
  /** A line comment begins only after a blank: `$#` and `a#b` are none. */
  readonly spacedComments: boolean;
  /** Words and strings count only between `<` and `>`. */
  readonly tags: boolean;
  /** The first character says what a line is. */
  readonly diff: boolean;
}

const double = form('"', '"');
const single = form("'", "'");
const back = { ...form("`", "`"), lines: true };
const rawBack = { ...back, escapes: false };
const triple = { ...form('"""', '"""'), lines: true };
const tripleSingle = { ...form("'''", "'''"), lines: true };
const slashes = { lineComments: ["//"], blockComments: [["/*", "*/"]] as const };
const hash = { lineComments: ["#"] };

const javascript = language({
  ...slashes,
  strings: [double, single, back],
  keywords:
    "abstract any as async await boolean break case catch class const constructor continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace never new null number object of override package private protected public readonly require return satisfies set static string super switch symbol this throw true try type typeof undefined unknown using var void while with yield",
});
const python = language({
  ...hash,
  strings: [triple, tripleSingle, double, single],
  keywords:
    "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try type while with yield",
});
const shell = language({
  ...hash,
  spacedComments: true,
  strings: [
    { ...double, lines: true },
    { ...single, escapes: false, lines: true },
  ],
  keywords:
    "alias begin break case cd continue do done echo elif else end esac eval exec exit export fi for function if in local read return set shift source switch then trap unset until while",
});
const c = language({
  ...slashes,
  strings: [double, single],
  keywords:
    "alignas auto bool break case catch char class concept const constexpr continue decltype default delete do double else enum explicit export extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private protected public register requires return short signed sizeof static static_assert struct switch template this throw true try typedef typename union unsigned using virtual void volatile while NULL",
});
const java = language({
  ...slashes,
  strings: [triple, double, single],
  keywords:
    "abstract assert async await base boolean break byte case catch char checked class const continue data decimal default delegate do double else enum event extends false final finally float for foreach fun get goto if implements import in init instanceof int interface internal is lateinit lock long match namespace native new null object open operator out override package params private protected public readonly record ref return sbyte sealed set short sizeof static string struct super suspend switch synchronized this throw throws transient true try typealias typeof uint ulong using val var virtual void volatile when where while with yield",
});
const go = language({
  ...slashes,
  strings: [double, single, rawBack],
  keywords:
    "any bool break byte case chan const continue default defer else error fallthrough false for func go goto if import int int32 int64 interface iota len make map nil package range return rune select string struct switch true type var",
});
const rust = language({
  ...slashes,
  strings: [{ ...double, lines: true }],
  keywords:
    "Self as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in let loop macro match mod move mut pub ref return self static str struct super trait true type u32 u64 u8 union unsafe use usize where while",
});
const swift = language({
  ...slashes,
  strings: [triple, double],
  keywords:
    "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension false fileprivate final for func guard if import in init inout internal is lazy let mutating nil open operator override private protocol public repeat rethrows return self some static struct subscript super switch throw throws true try typealias unowned var weak where while",
});
const ruby = language({
  ...hash,
  spacedComments: true,
  strings: [double, single],
  keywords:
    "BEGIN END alias and attr_accessor attr_reader begin break case class def defined do else elsif end ensure extend false for if in include module next nil not or private protected puts raise redo require require_relative rescue retry return self super then true undef unless until when while yield",
});
const php = language({
  lineComments: ["//", "#"],
  blockComments: [["/*", "*/"]],
  strings: [double, single],
  keywords:
    "abstract and array as break case catch class clone const continue declare default do echo else elseif enum extends false final finally fn for foreach function global if implements include instanceof interface isset match namespace new null or print private protected public readonly require return static switch this throw trait true try use var while yield",
});
const sql = language({
  lineComments: ["--"],
  blockComments: [["/*", "*/"]],
  strings: [
    { ...single, escapes: false },
    { ...double, escapes: false },
  ],
  anyCase: true,
  keywords:
    "add all alter and as asc begin between by case cast check collate column commit constraint create cross database default delete desc distinct drop else end except exists explain false foreign from full group having if ilike in index inner insert intersect into is join key left like limit not null offset on or order outer over partition pragma primary references returning right rollback select set table then transaction true trigger union unique update using values view when where with",
});
const lua = language({
  lineComments: ["--"],
  blockComments: [["--[[", "]]"]],
  strings: [double, single, { ...form("[[", "]]"), escapes: false, lines: true }],
  keywords:
    "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
});
const haskell = language({
  lineComments: ["--"],
  blockComments: [["{-", "-}"]],
  strings: [double],
  keywords:
    "case class data deriving do else if import in infixl infixr instance let module newtype of otherwise then type where",
});
const css = language({
  ...slashes,
  strings: [double, single],
  keywords:
    "!important @font @import @keyframes @layer @media @supports auto block flex grid inherit initial none solid unset var",
});
const json = language({ ...slashes, strings: [double], keywords: "false null true" });
const yaml = language({
  ...hash,
  spacedComments: true,
  strings: [double, { ...single, escapes: false }],
  keywords: "false no null off on true yes",
});
const toml = language({
  lineComments: ["#", ";"],
  spacedComments: true,
  strings: [triple, { ...tripleSingle, escapes: false }, double, { ...single, escapes: false }],
  keywords: "false off on true",
});
const docker = language({
  ...hash,
  spacedComments: true,
  strings: [double, single],
  anyCase: true,
  keywords:
    "add arg as cmd copy entrypoint env expose from healthcheck label onbuild run shell stopsignal user volume workdir else endif ifeq ifneq include",
});
const markup = language({ blockComments: [["<!--", "-->"]], strings: [double, single], tags: true });
const diff = language({ diff: true });

const byName: { readonly [name: string]: Language } = Object.assign(
  Object.create(null),
  named("javascript js jsx mjs cjs typescript ts tsx mts cts node deno svelte", javascript),
  named("python py python3 py3 ipython pyi starlark", python),
  named("shell sh bash zsh fish console shell-session ksh", shell),
  named("c h cpp c++ cc cxx hpp objective-c objc cuda glsl arduino", c),
  named("java kotlin kt csharp c# cs scala groovy dart gradle", java),
  named("go golang", go),
  named("rust rs", rust),
  named("swift", swift),
  named("ruby rb elixir ex exs crystal", ruby),
  named("php", php),
  named("sql sqlite postgres postgresql mysql plsql tsql", sql),
  named("lua luau", lua),
  named("haskell hs elm purescript", haskell),
  named("css scss less sass", css),
  named("json jsonc json5 jsonl", json),
  named("yaml yml", yaml),
  named("toml ini conf properties dotenv env systemd", toml),
  named("dockerfile docker containerfile makefile make mk", docker),
  named("html xml svg xhtml vue rss", markup),
  named("diff patch udiff", diff),
);

/** By the first word after the fence; null where the language is unknown. */
export function languageOf(info: string): Language | null {
  const name = /^\s*\{?\s*(?:\.|language-)?([^\s{},:=]+)/.exec(info)?.[1] ?? "";
  return byName[name.toLowerCase()] ?? null;
}

function form(open: string, close: string): StringForm {
  return { open, close, escapes: true, lines: false };
}

function named(names: string, language: Language): { readonly [name: string]: Language } {
  return Object.fromEntries(names.split(" ").map((name) => [name, language]));
}

function language(given: Partial<Omit<Language, "keywords">> & { readonly keywords?: string }): Language {
  return {
    lineComments: [],
    blockComments: [],
    strings: [],
    anyCase: false,
    spacedComments: false,
    tags: false,
    diff: false,
    ...given,
    keywords: new Set(given.keywords?.split(" ")),
  };
}
