/**
 * Colours code as it streams, over lines and deltas. Held back is only what is ambiguous: a word until it ends, a sign
 * that may begin a comment or a string. Code that is wrong in its language is coloured wrongly and shown right.
 */
import type { Role } from "../theme.ts";
import type { Language, StringForm } from "./languages.ts";

export interface Lexer {
  push(text: string): void;
  endLine(): void;
}

export type PutCode = (text: string, role: Role | null) => void;

type State =
  | { readonly type: "code" }
  | { readonly type: "line"; readonly role: Role | null }
  | { readonly type: "until"; readonly role: Role; readonly close: string; readonly form: StringForm | null };

const inCode: State = { type: "code" };
/** A longer word is no keyword: it goes on as another one. */
const longestWord = 40;
const wordStart = /[\p{L}_$@!]/u;
const wordRest = /[\p{L}\p{N}_$]{0,39}/uy;
const number = /\d[\w.]{0,39}/y;

export function openLexer(language: Language | null, put: PutCode): Lexer {
  const openers = language === null ? [] : openersOf(language);
  const longestOpener = Math.max(0, ...openers.map(({ open }) => open.length));
  /** Where nothing of interest can begin. */
  const dull = language === null ? /./y : dullOf(openers, language);
  let state: State = inCode;
  let waiting = "";
  /** How much of the closing delimiter was seen, by what was put before. */
  let tail = "";
  let escaped = false;
  let previous = "";
  let inTag = false;
  let lineStart = true;

  function read(ended: boolean): void {
    let at = 0;
    while (at < waiting.length) {
      const taken = step(at, ended);
      if (taken === 0) break;
      at += taken;
      previous = waiting[at - 1] ?? "";
      lineStart = false;
    }
    waiting = waiting.slice(at);
  }

  function step(at: number, ended: boolean): number {
    if (language === null) return rest(at, null);
    if (language.diff && lineStart) return diffLine(at, ended);
    if (state.type === "line") return rest(at, state.role);
    if (state.type === "until") return inside(at, state.role, state.close, state.form);
    return code(language, at, ended);
  }

  function rest(at: number, role: Role | null): number {
    put(waiting.slice(at), role);
    return waiting.length - at;
  }

  function diffLine(at: number, ended: boolean): number {
    const head = waiting.slice(at, at + 3);
    if (head.length < 3 && !ended && /^(?:\+\+?|--?)$/.test(head)) return 0;
    if (head === "+++" || head === "---") state = { type: "line", role: "dim" };
    else if (head.startsWith("+")) state = { type: "line", role: "inserted" };
    else if (head.startsWith("-")) state = { type: "line", role: "deleted" };
    else state = { type: "line", role: head.startsWith("@") ? "keyword" : null };
    return rest(at, state.role);
  }

  /** In a string or a comment everything is put at once; its end is recognised by what went before. */
  function inside(from: number, role: Role, close: string, form: StringForm | null): number {
    let at = from;
    while (at < waiting.length) {
      const unit = waiting[at++] ?? "";
      if (escaped) {
        escaped = false;
        tail = "";
        continue;
      }
      if (unit === "\\" && form?.escapes) {
        escaped = true;
        continue;
      }
      tail = (tail + unit).slice(-close.length);
      if (tail !== close) continue;
      state = inCode;
      tail = "";
      break;
    }
    put(waiting.slice(from, at), role);
    return at - from;
  }

  function code(language: Language, at: number, ended: boolean): number {
    dull.lastIndex = at;
    const plain = dull.exec(waiting)?.[0];
    if (plain !== undefined) {
      put(plain, null);
      if (language.tags && plain.includes(">")) inTag = false;
      return plain.length;
    }
    const opener = openerAt(at, ended);
    if (opener === undefined) return 0;
    if (opener !== null) return open(opener);
    if (language.tags) return markup(at, ended);
    const character = String.fromCodePoint(waiting.codePointAt(at) ?? 0);
    if (/\d/.test(character)) return numeral(at, ended);
    if (wordStart.test(character)) return word(language, at, ended);
    put(character, null);
    return character.length;
  }

  function openerAt(at: number, ended: boolean): Opener | null | undefined {
    const head = waiting.slice(at, at + longestOpener);
    for (const opener of openers) {
      if (opener.inTag && !inTag) continue;
      if (opener.spaced && previous !== "" && !/\s/.test(previous)) continue;
      if (head.startsWith(opener.open)) return opener;
      if (!ended && opener.open.startsWith(head)) return undefined;
    }
    return null;
  }

  function open({ open, role, close, form }: Opener): number {
    put(open, role);
    state = close === null ? { type: "line", role } : { type: "until", role, close, form };
    return open.length;
  }

  function numeral(at: number, ended: boolean): number {
    number.lastIndex = at;
    const text = number.exec(waiting)?.[0] ?? "";
    if (at + text.length === waiting.length && text.length < longestWord && !ended) return 0;
    put(text, "number");
    return text.length;
  }

  function word(language: Language, at: number, ended: boolean): number {
    const first = String.fromCodePoint(waiting.codePointAt(at) ?? 0);
    wordRest.lastIndex = at + first.length;
    const text = first + (wordRest.exec(waiting)?.[0] ?? "");
    if (at + text.length === waiting.length && [...text].length < longestWord && !ended) return 0;
    const known = language.keywords.has(language.anyCase ? text.toLowerCase() : text);
    put(text, known && previous !== "." ? "keyword" : null);
    return text.length;
  }

  /** `<name` and what stands until `>`. */
  function markup(at: number, ended: boolean): number {
    const unit = waiting[at] ?? "";
    if (unit !== "<") {
      put(unit, null);
      return 1;
    }
    const name = /^<[/?!]?[\w:.-]*/.exec(waiting.slice(at, at + longestWord))?.[0] ?? unit;
    if (at + name.length === waiting.length && name.length < longestWord && !ended) return 0;
    inTag = name.length > 1;
    put(name, inTag ? "tag" : null);
    return name.length;
  }

  return {
    push(text) {
      waiting += text;
      read(false);
    },
    endLine() {
      read(true);
      if (state.type === "line" || (state.type === "until" && state.form?.lines === false)) state = inCode;
      escaped = false;
      tail = "";
      previous = "";
      lineStart = true;
    },
  };
}

interface Opener {
  readonly open: string;
  readonly close: string | null;
  readonly role: Role;
  readonly form: StringForm | null;
  readonly spaced: boolean;
  readonly inTag: boolean;
}

/** The longest first, so that `"""` is not taken for an empty string. */
function openersOf(language: Language): readonly Opener[] {
  const { lineComments, blockComments, strings, spacedComments, tags } = language;
  const comment = { role: "comment", form: null, inTag: false } as const;
  return [
    ...lineComments.map((open) => ({ ...comment, open, close: null, spaced: spacedComments })),
    ...blockComments.map(([open, close]) => ({ ...comment, open, close, spaced: false })),
    ...strings.map((form) => ({
      open: form.open,
      close: form.close,
      role: "string" as const,
      form,
      spaced: false,
      inTag: tags,
    })),
  ].sort((a, b) => b.open.length - a.open.length);
}

function dullOf(openers: readonly Opener[], language: Language): RegExp {
  const first = [...new Set(openers.map(({ open }) => open[0] ?? ""))]
    .map((unit) => unit.replace(/[\]\\^-]/, "\\$&"))
    .join("");
  return new RegExp(`[^${first}${language.tags ? "<" : "\\p{L}\\p{N}_$@!"}]+`, "uy");
}
