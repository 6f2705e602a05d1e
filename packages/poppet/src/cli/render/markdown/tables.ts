/** The table that is under way: held until it ends, for its widths depend on all its rows, or until it is too long to hold. */
import { type Ink, mix, noInk, type Span } from "../pen.ts";
import type { Theme } from "../theme.ts";
import type { Wrap } from "../wrap.ts";
import { type InlineOptions, openInline } from "./inline.ts";
import { type Align, alignments, type Cell, columnWidths, type Frame, rowLines, splitRow } from "./table.ts";

export interface Table {
  row(text: string): void;
  /** Draws what is held. */
  end(): void;
}

export interface TableOptions {
  readonly wrap: Wrap;
  /** Null where styles are off: then the borders are those of Markdown. */
  readonly style: InlineOptions | null;
  /** What stands before the first line, and before each other. */
  readonly first: readonly Span[];
  readonly hang: readonly Span[];
  /** Columns that are left for the table. */
  readonly room: number;
}

/** What is held at most; rows behind that keep the widths of those before. */
const mostRows = 200;
const mostUnits = 65_536;

export function openTable(header: string, delimiter: string, options: TableOptions): Table {
  const { wrap, style } = options;
  const theme = style?.theme ?? null;
  let spans: Span[] = [];
  const inline = style && openInline((text, ink) => spans.push({ text, ink }), style);
  const headings = splitRow(header);
  const count = headings.length;
  const aligns = Array.from({ length: count }, (_, i): Align => alignments(delimiter)[i] ?? "left");
  const head = headings.map((text) => cellOf(text, theme === null ? noInk : mix(noInk, theme.strong)));
  const frame = frameOf(theme);
  const borders = frame.left.length + frame.right.length + frame.between.length * (count - 1);
  let rows: (readonly Cell[])[] = [];
  let units = 0;
  let widths: readonly number[] | null | undefined;
  /** A row took several lines: then rows are set apart. */
  let tall = false;
  let prefix = options.first;
  let drawn = 0;

  function cellOf(text: string, base: Ink): Cell {
    if (inline === null) return [[{ text, ink: noInk }]];
    return text.split(/<br\s*\/?>/i).map((line) => {
      spans = [];
      inline.begin(base);
      inline.push(line);
      inline.endLine();
      return spans;
    });
  }

  /** Cells that have no heading go into the last that has one. */
  function cellsOf(text: string): readonly Cell[] {
    const cells = splitRow(text);
    const kept = cells.length <= count ? cells : [...cells.slice(0, count - 1), cells.slice(count - 1).join(" | ")];
    return kept.map((cell) => cellOf(cell, noInk));
  }

  function print(spans: readonly Span[]): void {
    wrap.start(prefix, options.hang);
    prefix = options.hang;
    for (const { text, ink } of spans) wrap.raw(text, ink);
    wrap.end();
  }

  function layOut(): readonly number[] | null {
    if (widths !== undefined) return widths;
    const all = [head, ...rows];
    widths = count === 0 ? null : columnWidths(all, count, options.room - borders);
    if (widths === null) return null;
    for (const line of rowLines(head, widths, aligns, frame)) print(line);
    rule(widths);
    return widths;
  }

  function rule(widths: readonly number[]): void {
    print([{ text: theme === null ? delimiterLine(widths, aligns) : ruleLine(widths), ink: frame.ink }]);
  }

  function draw(): void {
    const widths = layOut();
    if (widths === null) records();
    else {
      const drawings = rows.map((row) => rowLines(row, widths, aligns, frame));
      tall ||= theme !== null && drawings.some((lines) => lines.length > 1);
      for (const lines of drawings) {
        if (tall && drawn > 0) rule(widths);
        for (const line of lines) print(line);
        drawn++;
      }
    }
    rows = [];
    units = 0;
  }

  function records(): void {
    for (const row of rows) {
      record(row);
      drawn++;
    }
    if (drawn === 0) record([]);
  }

  /** Too narrow for a table: each cell is a line with its heading. */
  function record(row: readonly Cell[]): void {
    if (drawn > 0) print([]);
    for (const [i, heading] of head.entries()) {
      wrap.start(prefix, options.hang);
      prefix = options.hang;
      for (const span of heading.flat()) wrap.text(span.text, span.ink);
      if (row.length > 0) wrap.text(heading.length > 0 ? ": " : "", noInk);
      for (const [at, line] of (row[i] ?? []).entries()) {
        if (at > 0) wrap.text(" ", noInk);
        for (const span of line) wrap.text(span.text, span.ink);
      }
      wrap.end();
    }
  }

  return {
    row(text) {
      rows.push(cellsOf(text));
      units += text.length;
      if (widths !== undefined || rows.length >= mostRows || units >= mostUnits) draw();
    },
    end: draw,
  };
}

function frameOf(theme: Theme | null): Frame {
  if (theme === null) return { left: "| ", between: " | ", right: " |", ink: noInk };
  return { left: "", between: " │ ", right: "", ink: mix(noInk, theme.rule) };
}

function ruleLine(widths: readonly number[]): string {
  return widths.map((width) => "─".repeat(width)).join("─┼─");
}

function delimiterLine(widths: readonly number[], aligns: readonly Align[]): string {
  const cells = widths.map((width, i) => {
    const align = aligns[i] ?? "left";
    const dashes = "-".repeat(Math.max(1, width - (align === "left" ? 0 : align === "right" ? 1 : 2)));
    return `${align === "center" ? ":" : ""}${dashes}${align === "left" ? "" : ":"}`;
  });
  return `| ${cells.join(" | ")} |`;
}
