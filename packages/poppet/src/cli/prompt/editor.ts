/**
 * What a key does at the prompt: the line, the lines entered before it in this process, the search among them, and the
 * hints below it, which stay until the next key. A pure step from one state to the next; what it cannot do itself
 * (enter the line, leave, complete a word) comes out as an action.
 */
import { cleanText } from "../../clean.ts";
import { before, graphemes } from "../graphemes.ts";
import type { Key, KeyName } from "../keyboard/keys.ts";
import { emptyLine, insert, type Line, lineOf, type Motion, move, remove } from "./line.ts";

export interface Editor {
  readonly line: Line;
  /** Entered before, the oldest first. Kept in memory only. */
  readonly lines: readonly string[];
  /** Which of them is in the line; their number where it is none. */
  readonly place: number;
  /** What was in the line before an older one was put there. */
  readonly draft: Line;
  readonly search: Search | null;
  /** What the last key removed of several characters, for `yank`. */
  readonly removed: string;
  readonly hints: readonly string[];
}

export interface Search {
  readonly query: string;
  /** Which of the lines has it. */
  readonly found: number | null;
  /** The line from before the search. */
  readonly from: Line;
}

export type Action = "enter" | "end" | "close" | "complete" | "redraw" | "suspend";

interface Pressed {
  readonly editor: Editor;
  readonly action: Action | null;
}

/** More would make each key slow, and does not belong in a line. In code units. */
const longestLine = 100_000;

const moves: { readonly [Name in KeyName]?: Motion } = {
  left: "left",
  right: "right",
  "word-left": "word-left",
  "word-right": "word-right",
  home: "home",
  end: "end",
};

/** By what is gone over. */
const removals: { readonly [Name in KeyName]?: Motion } = {
  backspace: "left",
  delete: "right",
  "delete-word": "chunk-left",
  "delete-word-left": "word-left",
  "delete-word-right": "word-right",
  "delete-end": "end",
};

const actions: { readonly [Name in KeyName]?: Action } = {
  enter: "enter",
  escape: "close",
  tab: "complete",
  redraw: "redraw",
  suspend: "suspend",
};

export const newEditor: Editor = {
  line: emptyLine,
  lines: [],
  place: 0,
  draft: emptyLine,
  search: null,
  removed: "",
  hints: [],
};

export function press(given: Editor, key: Key): Pressed {
  const editor = given.hints.length === 0 ? given : { ...given, hints: [] };
  if (editor.search !== null) return searching(editor, editor.search, key);
  if (key.name === "text") return stay(put(editor, cleanText(key.text)));
  if (key.name === "paste") return stay(paste(editor, key.text));
  const motion = moves[key.name];
  if (motion !== undefined) return stay({ ...editor, line: move(editor.line, motion) });
  const over = removals[key.name];
  return over === undefined ? other(editor, key.name) : stay(without(editor, over));
}

/** The line was entered: it becomes the newest of those before, and a new one begins. */
export function entered(editor: Editor): Editor {
  const { text } = editor.line;
  const lines = editor.lines.at(-1) === text || text.trim() === "" ? editor.lines : [...editor.lines, text];
  return { ...newEditor, lines, place: lines.length, removed: editor.removed };
}

/** A line from elsewhere, for the search and for going back to. */
export function remember(editor: Editor, text: string): Editor {
  const lines = [...editor.lines, paste(newEditor, text).line.text];
  return { ...editor, lines, place: editor.place === editor.lines.length ? lines.length : editor.place };
}

function stay(editor: Editor): Pressed {
  return { editor, action: null };
}

/** One character is not worth keeping. */
function without(editor: Editor, over: Motion): Editor {
  const { line, removed } = remove(editor.line, over);
  const kept = over === "left" || over === "right" || removed === "" ? editor.removed : removed;
  return { ...editor, line, removed: kept };
}

function other(editor: Editor, name: KeyName): Pressed {
  const action = actions[name];
  if (action !== undefined) return { editor, action };
  switch (name) {
    case "end-of-input":
      return editor.line.text === "" ? { editor, action: "end" } : stay(without(editor, "right"));
    case "delete-line":
      return stay({ ...editor, line: emptyLine, removed: editor.line.text || editor.removed });
    case "yank":
      return stay(put(editor, editor.removed));
    case "up":
      return stay(recall(editor, editor.place - 1));
    case "down":
      return stay(recall(editor, editor.place + 1));
    case "search":
      return stay({ ...editor, search: { query: "", found: null, from: editor.line } });
    default:
      return stay(editor);
  }
}

function put(editor: Editor, text: string): Editor {
  if (editor.line.text.length + text.length > longestLine) {
    return { ...editor, hints: ["Too long for the prompt. A file goes with: poppet chat send ID < FILE"] };
  }
  return { ...editor, line: insert(editor.line, text) };
}

/** A message has one line here: several are joined, and it is said. */
function paste(editor: Editor, text: string): Editor {
  const lines = cleanText(text.replaceAll(/\r\n?/g, "\n"))
    .replaceAll("\t", " ")
    .split(/[\n\u2028\u2029]/);
  const filled = lines.filter((line) => line.trim() !== "");
  if (filled.length <= 1) return put(editor, lines.length === 1 ? (lines[0] ?? "") : (filled[0] ?? "").trimEnd());
  const pasted = put(editor, filled.map((line) => line.trim()).join(" "));
  if (pasted.hints.length > 0) return pasted;
  return {
    ...pasted,
    hints: [`${filled.length} lines joined into one. To keep them: poppet chat send ID < FILE`],
  };
}

function recall(editor: Editor, place: number): Editor {
  const { lines, line, draft } = editor;
  if (place < 0 || place > lines.length || place === editor.place) return editor;
  const kept = editor.place === lines.length ? line : draft;
  return { ...editor, place, draft: kept, line: place === lines.length ? kept : lineOf(lines[place] ?? "") };
}

function searching(editor: Editor, search: Search, key: Key): Pressed {
  const newest = editor.lines.length - 1;
  if (key.name === "text") return stay(seek(editor, search, search.query + cleanText(key.text), newest));
  if (key.name === "backspace")
    return stay(seek(editor, search, graphemes(search.query).slice(0, -1).join(""), newest));
  if (key.name === "search") return stay(seek(editor, search, search.query, (search.found ?? newest + 1) - 1));
  if (key.name === "cancel") return stay({ ...editor, search: null, line: search.from });
  const taken = take(editor, search);
  // Escape ends the search and keeps what was found; every other key does with it what it always does.
  return key.name === "escape" ? stay(taken) : press(taken, key);
}

/** The newest line from `from` back that has the query; the one found before stays where there is no other. */
function seek(editor: Editor, search: Search, query: string, from: number): Editor {
  if (query === "") return { ...editor, line: search.from, search: { ...search, query, found: null } };
  const found = editor.lines.findLastIndex((line, i) => i <= from && line.includes(query));
  if (found < 0) {
    const kept = search.found !== null && (editor.lines[search.found] ?? "").includes(query) ? search.found : null;
    return { ...editor, search: { ...search, query, found: kept } };
  }
  const text = editor.lines[found] ?? "";
  // The query may begin within a character: a mark, or half of a flag.
  const cursor = before(text, text.indexOf(query) + 1);
  return { ...editor, line: { text, cursor }, search: { ...search, query, found } };
}

function take(editor: Editor, search: Search): Editor {
  if (search.found === null) return { ...editor, search: null };
  const draft = editor.place === editor.lines.length ? search.from : editor.draft;
  return { ...editor, search: null, place: search.found, draft, line: editor.line };
}
