/**
 * Searching what was said (C10): checks the query, brings the index up to date, and gives at most ten matches whose
 * whole JSON, final newline included, stays within the byte budget.
 */
import { utf8Length } from "@poppet/chat";
import type { SearchMatch, SearchResult } from "../assistant.ts";
import { PoppetError } from "../error.ts";
import { searchTable } from "../store/schema.ts";
import { findMatches, indexLags, indexNext, type MatchRow, resetIndex } from "../store/search.ts";
import type { Store } from "../store/sqlite.ts";
import { excerptAround } from "./excerpt.ts";

const queryLength = 256;
const mostMatches = 10;

export async function searchSessions(store: Store, query: string, toolBytes: number): Promise<SearchResult> {
  const terms = termsOf(query);
  if (terms.length === 0) return { matches: [], truncated: false };
  const rows = await repairing(store, async () => {
    await catchUp(store);
    return store.read(() => findMatches(terms, mostMatches));
  });
  return fitResult(rows, terms, toolBytes);
}

/** Indexes what completed runs have added since the last time. */
export async function catchUp(store: Store): Promise<void> {
  while (await store.read(indexLags)) await store.write("index", indexNext);
}

/** The terms to find; those of punctuation only are left out. */
function termsOf(query: string): string[] {
  const refuse = (why: string) => new PoppetError("search_query", `The search text ${why}.`, { exitCode: 2 });
  if (query.trim() === "") throw refuse("is empty");
  if (query.trim() !== query) throw refuse("begins or ends with white space");
  if ([...query].length > queryLength) throw refuse(`is longer than ${queryLength} characters`);
  return query
    .toWellFormed()
    .replaceAll("\0", " ")
    .split(/\s+/u)
    .filter((term) => /[\p{L}\p{N}\p{Co}]/u.test(term));
}

/** A damaged index is thrown away and built again, once; what it was made from is untouched. */
async function repairing<T>(store: Store, search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (thrown) {
    const cause = (thrown as { cause?: { code?: unknown; message?: unknown } }).cause;
    const ofIndex = cause?.code === "SQLITE_CORRUPT_VTAB" || /search|fts5|vtable/i.test(String(cause?.message));
    if (!ofIndex) throw thrown;
    await store.write("index", () => resetIndex(searchTable));
    return search();
  }
}

function fitResult(rows: readonly MatchRow[], terms: readonly string[], toolBytes: number): SearchResult {
  const kept = rows.slice(0, mostMatches);
  const texts = kept.map((row) => (JSON.parse(row.body) as { text: string }).text);
  for (const length of [240, 120, 60, 30]) {
    const matches = kept.map((row, i) => matchOf(row, excerptAround(texts[i] ?? "", terms, length)));
    const result = { matches, truncated: rows.length > mostMatches || length !== 240 };
    if (bytesOf(result) <= toolBytes) return result;
    if (length !== 30) continue;
    while (matches.length > 0 && bytesOf({ matches, truncated: true }) > toolBytes) matches.pop();
    return { matches, truncated: true };
  }
  return { matches: [], truncated: true };
}

function matchOf(row: MatchRow, excerpt: string): SearchMatch {
  return {
    sessionId: row.session_id,
    messageId: row.message_id,
    title: row.title,
    createdAt: row.created_at,
    role: row.kind,
    excerpt,
  };
}

function bytesOf(result: SearchResult): number {
  return utf8Length(JSON.stringify(result)) + 1;
}
