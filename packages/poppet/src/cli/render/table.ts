/** Tables for people: columns by display width, cut to the terminal's; every field cleaned. */
import type { SessionSummary } from "../../assistant.ts";
import { cleanLine } from "../../clean.ts";
import { cutWidth } from "../graphemes.ts";
import { relativeTime } from "./time.ts";

/** A session by the beginning of its ID that is enough to name it. */
export type ListedSession = Pick<SessionSummary, "title" | "updatedAt"> & { readonly shortId: string };

/** The ID is what other commands take, so it is never cut; the title gives way, then the time. */
export function sessionTable(sessions: readonly ListedSession[], now: number, columns: number): string {
  const rows = sessions.map((session) => ({
    id: cleanLine(session.shortId),
    time: relativeTime(session.updatedAt, now),
    title: cleanLine(session.title ?? "") || "(unnamed)",
  }));
  const idWidth = widest(rows.map((row) => row.id));
  const timeWidth = widest(rows.map((row) => row.time));
  const titleRoom = columns - idWidth - timeWidth - 4;
  const room = titleRoom >= 8 ? titleRoom : columns - idWidth - 2;
  const lines = rows.map((row) => {
    if (room < 4) return row.id;
    const time = titleRoom >= 8 ? `${padWidth(row.time, timeWidth)}  ` : "";
    return `${padWidth(row.id, idWidth)}  ${time}${cutWidth(row.title, room)}`;
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Rows of left-aligned cells; the last column is cut to what is left of the width. */
export function table(rows: readonly (readonly string[])[], columns: number): string {
  const clean = rows.map((row) => row.map(cleanLine));
  const count = Math.max(0, ...clean.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, i) => widest(clean.map((row) => row[i] ?? "")));
  const lines = clean.map((row) => {
    const line = row.map((cell, i) => (i === row.length - 1 ? cell : padWidth(cell, widths[i] ?? 0))).join("  ");
    return cutWidth(line.trimEnd(), columns);
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** What is wrong with a file, without the folder that the row is about: a line is short. */
export function brokenCell(path: string, fault: string): string {
  return `broken: ${fault.replaceAll(path.slice(0, path.lastIndexOf("/") + 1), "")}`;
}

function padWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, Bun.stringWidth(cell)), 0);
}
