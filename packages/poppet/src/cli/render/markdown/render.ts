/**
 * Markdown for a terminal, as it streams. Text is written as it arrives; held back is only what is ambiguous, and what
 * was written is never written again: no cursor moves, nothing is cleared. The output depends on the text alone, not on
 * how it was cut, and terminal controls in it are taken out first.
 *
 * Without styles the marks are the styling: the text stays as it is, wrapped to the width, with tables set in columns.
 *
 * Other than in HTML a line end is a line end, for models break lines where they mean it; code is never wrapped but by
 * the terminal, so that it is copied as it is.
 */
import { openCleaner, type TextStream } from "../../../clean.ts";
import { type Ink, mix, noInk, openPen, type Span, widthOf } from "../pen.ts";
import { type Around, type Role, themeOf } from "../theme.ts";
import { openWrap } from "../wrap.ts";
import { type Container, type Leaf, type Opening, type OpenLeaf, readLine } from "./blocks.ts";
import { openHeadingText } from "./heading.ts";
import { type Inline, openInline } from "./inline.ts";
import { languageOf } from "./languages.ts";
import { type Lexer, openLexer } from "./lexer.ts";
import { openPrefixes, type Prefix } from "./prefixes.ts";
import { openTable, type Table } from "./tables.ts";

export interface MarkdownOptions {
  columns(): number;
  readonly colors: number;
  /** The terminal knows OSC 8. */
  readonly links: boolean;
}

export interface Markdown extends TextStream {
  /** What is held, as if the line ended here. The blocks that are open stay open. */
  pause(): string;
  /** What brings the ink back that the text goes on in, and what turns it off. */
  readonly open: Around | undefined;
}

/** A whole text, as it is saved. */
export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const markdown = openMarkdown(options);
  return markdown.push(text) + markdown.end();
}

/** No beginning of a block is longer. */
const longestBeginning = 512;
/** A longer row is no row of a table. */
const longestRow = 16_384;
const longestRule = 60;

const noLeaf: OpenLeaf = { type: "none" };

export function openMarkdown(options: MarkdownOptions): Markdown {
  const theme = themeOf(options.colors);
  const style = theme === null ? null : { theme, links: options.links };
  const cleaner = openCleaner();
  const pen = openPen();
  const wrap = openWrap(pen, { columns: () => options.columns(), exact: theme === null });
  const inline = style === null ? plainText() : openInline((text, ink, unit) => wrap[unit](text, ink), style);
  const heading = style === null ? inline : openHeadingText((text) => inline.push(text));
  const inks: { [name in Role]?: Ink } = {};
  const prefixes = openPrefixes(theme);

  let containers: readonly Container[] = [];
  let open = noLeaf;
  /** The beginning of the line, until it is known what it is; null behind that. */
  let beginning: string | null = "";
  let leaf: Leaf = { type: "blank" };
  let prefix: Prefix = { first: [], hang: [] };
  /** Something of the line was drawn. */
  let started = false;
  /** A blank line that is drawn when a line follows it. */
  let blank: readonly Span[] | null = null;
  let lexer: Lexer | null = null;
  let row = "";
  let header = { text: "", prefix };
  let table: Table | null = null;

  function plainText(): Inline {
    return { begin() {}, push: (text) => wrap.text(text, noInk), endLine() {} };
  }

  function ink(role: Role): Ink {
    if (theme === null) return noInk;
    inks[role] ??= mix(noInk, theme[role]);
    return inks[role];
  }

  function read(text: string): void {
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf("\n", from);
      piece(end < 0 ? text.slice(from) : text.slice(from, end));
      if (end < 0) return;
      endLine();
      from = end + 1;
    }
  }

  function piece(text: string): void {
    if (text === "") return;
    if (beginning === null) {
      content(text);
      return;
    }
    beginning += text;
    begin(beginning, false);
  }

  function endLine(): void {
    if (beginning !== null) begin(beginning, true);
    finish();
    beginning = "";
  }

  function begin(given: string, ended: boolean): void {
    const cut = given.length > longestBeginning;
    const text = cut ? given.slice(0, longestBeginning) : given;
    const line = { text, ended: ended && !cut, cut };
    let opening = readLine(line, containers, open);
    if (opening?.leaf.type === "table-end") {
      endTable();
      opening = readLine(line, containers, open);
    }
    if (opening === undefined) return;
    beginning = null;
    enter(opening, text.slice(0, opening.at));
    if (opening.at < given.length) content(given.slice(opening.at));
  }

  /** Draws what stands before the line's text. */
  function enter(opening: Opening, written: string): void {
    const continues = open.type === "paragraph" && opening.opened.length === 0 && opening.matched === containers.length;
    leaf = opening.leaf;
    containers = [...containers.slice(0, opening.matched), ...opening.opened];
    prefix = prefixes.of(containers, opening, written);
    switch (leaf.type) {
      case "blank":
        open = noLeaf;
        if (theme === null || opening.opened.length > 0) start();
        else blank ??= prefixes.blank(containers);
        break;
      case "header":
        open = { type: "header" };
        row = "";
        break;
      case "delimiter":
      case "row":
        row = "";
        break;
      case "paragraph":
        startParagraph(continues);
        break;
      case "heading":
        open = noLeaf;
        start();
        inline.begin(ink(leaf.level === 1 ? "title" : "heading"));
        break;
      case "fence":
        open = leaf;
        lexer = openLexer(theme === null ? null : languageOf(leaf.info), putCode);
        start();
        break;
      case "code":
        start();
        break;
      default:
        open = noLeaf;
        start();
    }
  }

  function content(text: string): void {
    switch (leaf.type) {
      case "heading":
        heading.push(text);
        break;
      case "code":
        lexer?.push(text);
        break;
      case "indented":
        wrap.raw(text, ink("code"));
        break;
      case "fence":
      case "fence-end":
        wrap.raw(text, ink("fence"));
        break;
      case "header":
      case "delimiter":
      case "row":
        row += text;
        if (row.length > longestRow) endRow();
        break;
      default:
        inline.push(text);
    }
  }

  function finish(): void {
    if (leaf.type === "rule" || leaf.type === "underline") drawRule(leaf.type);
    else if (leaf.type === "code") lexer?.endLine();
    else if (leaf.type === "delimiter") startTable();
    else if (leaf.type === "row") table?.row(row);
    else if (leaf.type === "header") header = { text: row, prefix };
    else {
      heading.endLine();
      inline.endLine();
    }
    if (started) wrap.end();
    started = false;
  }

  function start(): void {
    drawBlank();
    wrap.start(prefix.first, prefix.hang);
    started = true;
  }

  function startParagraph(continues: boolean): void {
    open = { type: "paragraph" };
    start();
    if (!continues) inline.begin(noInk);
  }

  function drawBlank(): void {
    if (blank === null) return;
    wrap.start(blank, []);
    wrap.end();
    blank = null;
  }

  function drawRule(type: "rule" | "underline"): void {
    const width = Math.min(longestRule, Math.max(1, options.columns() - widthOf(prefix.hang)));
    if (theme !== null) wrap.raw((type === "rule" ? "─" : "═").repeat(width), ink("rule"));
  }

  function putCode(text: string, role: Role | null): void {
    wrap.raw(text, role === null ? noInk : ink(role));
  }

  function startTable(): void {
    drawBlank();
    open = { type: "table" };
    const { first, hang } = header.prefix;
    const room = options.columns() - widthOf(hang);
    table = openTable(header.text, row, { wrap, style, first, hang, room });
  }

  /** What was held for one is drawn: a table, or a line that was none after all. */
  function endTable(): void {
    table?.end();
    table = null;
    if (open.type !== "header") {
      open = noLeaf;
      return;
    }
    prefix = header.prefix;
    startParagraph(false);
    inline.push(header.text);
    inline.endLine();
    wrap.end();
    started = false;
  }

  /** The row is too long to be one. */
  function endRow(): void {
    const text = row;
    table?.end();
    table = null;
    leaf = { type: "paragraph" };
    startParagraph(false);
    inline.push(text);
  }

  function pause(): string {
    read(cleaner.end());
    const inLine = beginning !== "";
    if (inLine) endLine();
    if (open.type === "header" || open.type === "table") endTable();
    blank = null;
    const out = pen.take();
    return inLine && out.endsWith("\n") ? out.slice(0, -1) : out;
  }

  return {
    push(delta) {
      read(cleaner.push(delta));
      return pen.take();
    },
    pause,
    end() {
      const out = pause();
      containers = [];
      open = noLeaf;
      return out;
    },
    get open() {
      return pen.open;
    },
  };
}
