/**
 * Tables fitted to a width: columns by what is in them, cells wrapped at words, and nothing cut off. The widths come
 * from the rows that are known when the table is laid out; later rows are drawn in the same.
 */
import { openClusters } from "../clusters.ts";
import { type Ink, noInk, type Span, widthOf } from "../pen.ts";

export type Align = "left" | "right" | "center";
/** A cell's lines as they were written; each may be wrapped to several. */
export type Cell = readonly (readonly Span[])[];

export interface Frame {
  readonly left: string;
  readonly between: string;
  readonly right: string;
  readonly ink: Ink;
}

/** A narrower column is not read any more: each row becomes lines of its own. */
const narrowest = 5;

/** Cells of a row as it was written: `\|` is no border, a border at either end is left out. */
export function splitRow(row: string): readonly string[] {
  const cells: string[] = [];
  let cell = "";
  const text = row.trim().replaceAll("\t", " ").replace(/^\|/, "");
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] ?? "";
    if (unit === "\\" && text[at + 1] === "|") {
      cell += "|";
      at++;
    } else if (unit === "\\" && at + 1 < text.length) {
      cell += unit + (text[++at] ?? "");
    } else if (unit === "|") {
      cells.push(cell.trim());
      cell = "";
    } else {
      cell += unit;
    }
  }
  if (cell.trim() !== "") cells.push(cell.trim());
  return cells;
}

export function alignments(delimiter: string): readonly Align[] {
  return splitRow(delimiter).map((cell) => {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
  });
}

/** Of each column; null where there is no room for so many. */
export function columnWidths(
  rows: readonly (readonly Cell[])[],
  count: number,
  room: number,
): readonly number[] | null {
  const widest = (width: (line: readonly Span[]) => number) =>
    Array.from({ length: count }, (_, i) => Math.max(1, ...rows.flatMap((row) => (row[i] ?? []).map(width))));
  const natural = widest(widthOf);
  if (sum(natural) <= room) return natural;
  if (room < count * narrowest) return null;
  const word = widest(widestWord);
  const share = Math.floor(room / count);
  const least = sum(word) <= room ? word : word.map((width) => Math.min(width, share));
  const at = (level: number) => natural.map((width, i) => Math.min(width, Math.max(level, least[i] ?? 0)));
  let level = 1;
  while (sum(at(level + 1)) <= room) level++;
  const widths = at(level);
  let left = room - sum(widths);
  return widths.map((width, i) => {
    if (left === 0 || width >= (natural[i] ?? 0)) return width;
    left--;
    return width + 1;
  });
}

/** The lines of one row. */
export function rowLines(
  cells: readonly Cell[],
  widths: readonly number[],
  aligns: readonly Align[],
  frame: Frame,
): readonly (readonly Span[])[] {
  const wrapped = widths.map((width, i) => (cells[i] ?? []).flatMap((line) => wrapLine(line, width)));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => {
    const spans: Span[] = [];
    if (frame.left !== "") spans.push({ text: frame.left, ink: frame.ink });
    for (const [i, width] of widths.entries()) {
      if (i > 0) spans.push({ text: frame.between, ink: frame.ink });
      const last = i === widths.length - 1 && frame.right === "";
      spans.push(...padded(wrapped[i]?.[at] ?? [], width, aligns[i] ?? "left", last));
    }
    if (frame.right !== "") spans.push({ text: frame.right, ink: frame.ink });
    return spans;
  });
}

function padded(line: readonly Span[], width: number, align: Align, last: boolean): readonly Span[] {
  const room = Math.max(0, width - widthOf(line));
  const before = align === "left" ? 0 : align === "right" ? room : Math.floor(room / 2);
  const after = last ? 0 : room - before;
  const blank = (count: number) => (count > 0 ? [{ text: " ".repeat(count), ink: noInk }] : []);
  return [...blank(before), ...line, ...blank(after)];
}

interface Piece {
  readonly spans: Span[];
  width: number;
  /** Blanks before it; none where a line may end without them. */
  readonly gap: Span | null;
}

function wrapLine(line: readonly Span[], width: number): readonly (readonly Span[])[] {
  if (widthOf(line) <= width) return [line];
  const lines: Span[][] = [];
  let current: Span[] = [];
  let used = 0;
  const turn = () => {
    lines.push(current);
    current = [];
    used = 0;
  };
  for (const piece of piecesOf(line)) {
    const gap = piece.gap?.text.length ?? 0;
    if (used > 0 && used + gap + piece.width > width) turn();
    else if (piece.gap !== null && used > 0) {
      current.push(piece.gap);
      used += gap;
    }
    for (const part of piece.width <= width ? piece.spans : piece.spans.flatMap(apart)) {
      const partWidth = Bun.stringWidth(part.text);
      if (used > 0 && used + partWidth > width) turn();
      current.push(part);
      used += partWidth;
    }
  }
  if (current.length > 0 || lines.length === 0) lines.push(current);
  return lines;
}

/** One span for each cluster, for a word that has to be broken. */
function apart({ text, ink }: Span): readonly Span[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => ({ text: segment, ink }));
}

function piecesOf(line: readonly Span[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let gap: Span | null = null;
  let open: Piece | null = null;
  let ink = noInk;
  const clusters = openClusters((text, width, kind) => {
    if (kind === "space") {
      gap = { text: text.replaceAll("\t", " "), ink };
      open = null;
      return;
    }
    if (open === null || kind === "break") {
      open = { spans: [], width: 0, gap };
      pieces.push(open);
      gap = null;
    }
    open.spans.push({ text, ink });
    open.width += width;
    if (kind === "break") open = null;
  });
  for (const span of line) {
    ink = span.ink;
    clusters.push(span.text);
    clusters.flush();
  }
  return pieces;
}

function widestWord(line: readonly Span[]): number {
  return Math.max(0, ...piecesOf(line).map((piece) => piece.width));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
