/**
 * What the beginning of a line says: in which quotes and list items it stands, which it opens, what kind of line it is,
 * and where its text begins. Undefined as long as more of the line could change that. It looks at the line alone and at
 * the blocks that are open, so how the line arrived makes no difference.
 */

export type Container =
  | { readonly type: "quote" }
  | {
      readonly type: "item";
      /** Columns that a line has to be indented by to stand in the item. */
      readonly need: number;
      readonly indent: number;
      /** null for a bullet. */
      readonly number: { readonly value: number; readonly delimiter: string } | null;
      readonly task: string | null;
    };

/** The block that the line before left open. */
export type OpenLeaf =
  | { readonly type: "none" | "paragraph" | "header" | "table" }
  | { readonly type: "fence"; readonly mark: string; readonly count: number; readonly indent: number };

export type Leaf =
  | { readonly type: "blank" | "paragraph" | "rule" | "underline" | "indented" }
  | { readonly type: "heading"; readonly level: number }
  | {
      readonly type: "fence";
      readonly mark: string;
      readonly count: number;
      readonly indent: number;
      readonly info: string;
    }
  | { readonly type: "code" | "fence-end" }
  | { readonly type: "header" | "delimiter" | "row" }
  /** The open table ends before this line, which has to be read again. */
  | { readonly type: "table-end" };

export interface Opening {
  /** How many of the open containers the line stands in. */
  readonly matched: number;
  readonly opened: readonly Container[];
  readonly leaf: Leaf;
  /** Where the line's own text begins. */
  readonly at: number;
}

export interface Line {
  readonly text: string;
  /** `text` is the whole line. */
  readonly ended: boolean;
  /** More of it will not be looked at: the line is longer than any beginning of a block. */
  readonly cut: boolean;
}

const deepest = 16;

export function readLine(line: Line, containers: readonly Container[], open: OpenLeaf): Opening | undefined {
  const { text, ended } = line;
  const more = !ended && !line.cut;
  let at = 0;
  let matched = 0;
  for (const container of containers) {
    const inside = enter(line, at, container);
    if (inside === undefined) return undefined;
    if (inside === null) break;
    at = inside;
    matched++;
  }
  const all = matched === containers.length;
  if (open.type === "fence" && all) return fenceLine(line, at, matched, open);
  if (open.type === "header" || open.type === "table") {
    const row = all ? tableLine(line, at, open.type) : "table-end";
    return row === undefined ? undefined : { matched, opened: [], leaf: { type: row }, at };
  }

  const opened: Container[] = [];
  for (;;) {
    const indent = indentAt(text, at);
    const rest = text.slice(indent.end);
    const lazy = open.type === "paragraph" && opened.length === 0;
    const found = (leaf: Leaf, from: number): Opening => ({ matched, opened, leaf, at: from });
    if (rest === "" && more) return undefined;
    if (rest === "") return found({ type: ended ? "blank" : "paragraph" }, text.length);
    if (indent.columns >= 4 && !lazy) return found({ type: "indented" }, skipColumns(text, at, 4));
    if (indent.columns < 4) {
      const leaf = leafAt(rest, line, indent.columns, lazy && all);
      if (leaf === undefined) return undefined;
      if (leaf !== null) return found(leaf.leaf, indent.end + leaf.length);
      const next = matched + opened.length < deepest ? containerAt(rest, line, indent.columns, lazy && all) : null;
      if (next === undefined) return undefined;
      if (next !== null) {
        opened.push(next.container);
        at = indent.end + next.length;
        continue;
      }
    }
    // A paragraph goes on although its line leaves out the marks of the containers that it stands in.
    return { matched: lazy ? containers.length : matched, opened, leaf: { type: "paragraph" }, at: indent.end };
  }
}

/** Where the text in the container begins; null where the line does not stand in it. */
function enter({ text, ended, cut }: Line, at: number, container: Container): number | null | undefined {
  const indent = indentAt(text, at);
  const blank = indent.end === text.length;
  if (blank && !ended && !cut) return undefined;
  if (container.type === "item") {
    if (blank) return at;
    // Models indent what belongs to `1.` by two columns as often as by three.
    const enough = indent.columns >= Math.min(container.need, container.indent + 2);
    return enough ? skipColumns(text, at, container.need) : null;
  }
  if (indent.columns > 3 || text[indent.end] !== ">") return null;
  return afterQuoteMark(text, indent.end + 1, !ended && !cut);
}

function afterQuoteMark(text: string, at: number, more: boolean): number | undefined {
  if (at === text.length && more) return undefined;
  return text[at] === " " ? at + 1 : at;
}

function fenceLine(
  { text, ended, cut }: Line,
  at: number,
  matched: number,
  fence: OpenLeaf & { readonly type: "fence" },
): Opening | undefined {
  const rest = text.slice(at);
  const spaces = /^ */.exec(rest)?.[0].length ?? 0;
  const marks = rest.slice(spaces).replace(/[ \t]+$/, "");
  const closing = spaces <= 3 && marks === fence.mark.repeat(marks.length);
  if (closing && !ended && !cut) return undefined;
  if (closing && ended && marks.length >= fence.count) return { matched, opened: [], leaf: { type: "fence-end" }, at };
  return { matched, opened: [], leaf: { type: "code" }, at: at + Math.min(spaces, fence.indent) };
}

function tableLine(line: Line, at: number, open: "header" | "table"): "delimiter" | "row" | "table-end" | undefined {
  const rest = line.text.slice(at).trimStart();
  const more = !line.ended && !line.cut;
  if (open === "table") {
    if (rest === "" && more) return undefined;
    return rest.startsWith("|") ? "row" : "table-end";
  }
  if (!/^[ \t|:-]*$/.test(rest)) return "table-end";
  if (more) return undefined;
  return line.ended && /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(rest)
    ? "delimiter"
    : "table-end";
}

interface LeafAt {
  readonly leaf: Leaf;
  readonly length: number;
}

function leafAt(rest: string, line: Line, indent: number, inParagraph: boolean): LeafAt | null | undefined {
  const more = !line.ended && !line.cut;
  switch (rest[0]) {
    case "#":
      return headingAt(rest, more);
    case "`":
    case "~":
      return fenceAt(rest, line, indent);
    case "|":
      return { leaf: { type: "header" }, length: 0 };
    case "=":
      if (!inParagraph || !/^=+[ \t]*$/.test(rest)) return null;
      if (more) return undefined;
      return line.ended ? { leaf: { type: "underline" }, length: rest.length } : null;
    case "-":
    case "*":
    case "_":
      if (/[^\s]/.test(rest.replaceAll(rest[0], ""))) return null;
      if (more) return undefined;
      return line.ended && rest.split(rest[0]).length > 3 ? { leaf: { type: "rule" }, length: rest.length } : null;
    default:
      return null;
  }
}

function headingAt(rest: string, more: boolean): LeafAt | null | undefined {
  const marks = /^#{1,6}/.exec(rest)?.[0].length ?? 0;
  const text = rest.slice(marks).trimStart();
  if (text === "" && more) return undefined;
  if (rest[marks] !== undefined && !/[ \t]/.test(rest[marks])) return null;
  return { leaf: { type: "heading", level: marks }, length: rest.length - text.length };
}

function fenceAt(rest: string, line: Line, indent: number): LeafAt | null | undefined {
  const more = !line.ended && !line.cut;
  const mark = rest[0] ?? "";
  const count = rest.length - rest.replace(/^(?:`+|~+)/, "").length;
  if (count === rest.length && more) return undefined;
  const info = rest.slice(count);
  if (count < 3 || (mark === "`" && info.includes("`")) || line.cut) return null;
  return more ? undefined : { leaf: { type: "fence", mark, count, indent, info: info.trim() }, length: 0 };
}

function containerAt(
  rest: string,
  line: Line,
  indent: number,
  inParagraph: boolean,
): { readonly container: Container; readonly length: number } | null | undefined {
  const more = !line.ended && !line.cut;
  if (rest[0] === ">") {
    const length = afterQuoteMark(rest, 1, more);
    return length === undefined ? undefined : { container: { type: "quote" }, length };
  }
  if (more && /^(?:[-+*]|\d{1,9}[.)]?)$/.test(rest)) return undefined;
  const marker = /^(?:[-+*]|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(rest);
  if (marker === null) return null;
  const [mark, digits, delimiter = ""] = marker;
  const blank = indentAt(rest, mark.length);
  const empty = blank.end === rest.length;
  if (empty && more) return undefined;
  if (inParagraph && (empty || (digits !== undefined && Number(digits) !== 1))) return null;
  const spaces = empty || blank.columns > 4 ? 1 : blank.columns;
  const start = empty ? rest.length : skipColumns(rest, mark.length, spaces);
  const task = taskAt(rest.slice(start), more);
  if (task === undefined) return undefined;
  return {
    container: {
      type: "item",
      need: indent + mark.length + spaces,
      indent,
      number: digits === undefined ? null : { value: Number(digits), delimiter },
      task: task?.slice(0, 3) ?? null,
    },
    length: start + (task?.length ?? 0),
  };
}

function taskAt(text: string, more: boolean): string | null | undefined {
  if (more && /^\[(?:[ xX]\]?)?$/.test(text)) return undefined;
  return /^\[[ xX]\][ \t]/.exec(text)?.[0] ?? null;
}

/** The blanks from `at`: how many columns, and where they end. A tab goes to the next multiple of four. */
function indentAt(text: string, at: number): { readonly columns: number; readonly end: number } {
  let columns = 0;
  let end = at;
  for (; text[end] === " " || text[end] === "\t"; end++) columns += text[end] === "\t" ? 4 - (columns % 4) : 1;
  return { columns, end };
}

function skipColumns(text: string, at: number, most: number): number {
  let columns = 0;
  let end = at;
  while (columns < most && (text[end] === " " || text[end] === "\t")) {
    columns += text[end] === "\t" ? 4 - (columns % 4) : 1;
    end++;
  }
  return end;
}
