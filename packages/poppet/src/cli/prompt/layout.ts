/**
 * The prompt as rows of a terminal and a place for its cursor: pure. Rows are broken here and not by the terminal, so
 * that what is drawn does not depend on how it wraps; a message that is higher than the screen is shown around the cursor.
 */

import { cutWidth, graphemes, isDisputed } from "../graphemes.ts";
import type { Editor } from "./editor.ts";

export interface Frame {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface Row {
  readonly text: string;
  readonly width: number;
}

export interface Area {
  readonly columns: number;
  readonly rows: number;
}

export interface PromptStyle {
  /** Around the label, around hints. */
  readonly label: readonly [before: string, after: string];
  readonly hint: readonly [before: string, after: string];
}

export const label = "You> ";
/** A menu or a hint takes no more rows than this. */
const mostHints = 10;

export function layout(editor: Editor, area: Area, style: PromptStyle): Frame {
  const { search, line } = editor;
  const before = search === null ? label : `${searchLabel(search.query, search.found)} `;
  const { rows, cursor } = wrap(before, line.text, line.cursor, area.columns, style.label);
  const hints = hintRows(editor.hints, Math.min(mostHints, area.rows - 2), area.columns, style);
  const { first, end } = visible(rows.length, cursor.row, Math.max(1, area.rows - 1 - hints.length));
  return {
    rows: [...rows.slice(first, end), ...hints],
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}

/** The line as it stays on the screen once it was entered: all of it, nothing else. */
export function committed(text: string, columns: number, style: PromptStyle): Frame {
  const { rows } = wrap(label, text, text.length, columns, style.label);
  const last = rows.at(-1);
  // A row for the cursor alone is not needed any more.
  const shown = last?.width === 0 && rows.length > 1 ? rows.slice(0, -1) : rows;
  return { rows: shown, cursor: { row: shown.length - 1, column: shown.at(-1)?.width ?? 0 } };
}

function searchLabel(query: string, found: number | null): string {
  return `search "${query}"${query !== "" && found === null ? " (nothing)" : ""}:`;
}

function wrap(
  before: string,
  text: string,
  cursor: number,
  columns: number,
  style: readonly [string, string],
): { readonly rows: readonly Row[]; readonly cursor: { readonly row: number; readonly column: number } } {
  const rows: Row[] = [];
  let row = style[0];
  let width = 0;
  let place = { row: 0, column: 0 };
  let at = -before.length;

  function next(): void {
    rows.push({ text: row, width });
    row = "";
    width = 0;
  }

  function put(grapheme: string): void {
    const ascii = grapheme.length === 1 && grapheme < "\x7f";
    const wide = ascii ? 1 : Math.min(Bun.stringWidth(grapheme), columns);
    if (width + wide > columns) next();
    if (at === cursor) place = { row: rows.length, column: width };
    width += wide;
    row += !ascii && isDisputed(grapheme) ? `${grapheme}\x1b[${width + 1}G` : grapheme;
    at += grapheme.length;
  }

  for (const grapheme of graphemes(before)) put(grapheme);
  row += style[1];
  for (const grapheme of graphemes(text)) put(grapheme);
  if (at === cursor) {
    // The cursor stands after the text: in a row of its own where the last is full.
    if (width === columns) next();
    place = { row: rows.length, column: width };
  }
  next();
  return { rows, cursor: place };
}

function hintRows(hints: readonly string[], most: number, columns: number, style: PromptStyle): readonly Row[] {
  if (most < 1) return [];
  const shown = hints.length <= most ? hints : [...hints.slice(0, most - 1), `… ${hints.length - most + 1} more`];
  return shown.map((hint) => {
    const text = cutWidth(hint, columns - 1);
    return { text: style.hint[0] + text + style.hint[1], width: Bun.stringWidth(text) };
  });
}

/** The rows around the one with the cursor. */
function visible(count: number, cursor: number, most: number): { readonly first: number; readonly end: number } {
  if (count <= most) return { first: 0, end: count };
  const first = Math.min(Math.max(0, cursor - Math.floor(most / 2)), count - most);
  return { first, end: first + most };
}
