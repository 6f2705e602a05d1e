/**
 * Searching what was said (C10): checks the query, and gives at most ten matches whose whole JSON, final newline
 * included, stays within the byte budget.
 */
import { utf8Length } from "@poppet/chat";
import type { SearchMatch, SearchResult } from "../assistant.ts";
import type { Match } from "../store/search.ts";
import type { SearchIndex } from "../store/search-index.ts";
import { excerptsOf } from "./excerpt.ts";
import { termsOf } from "./terms.ts";

const mostMatches = 10;

/** Code points of an excerpt: as many as the byte budget allows. */
const excerptLengths = [240, 120, 60, 30];

export async function searchSessions(index: SearchIndex, query: string, toolBytes: number): Promise<SearchResult> {
  const terms = termsOf(query);
  if (terms.length === 0) return { matches: [], truncated: false };
  const found = await index.find(terms, mostMatches + 1);
  return fitResult(found, terms, toolBytes);
}

function fitResult(found: readonly Match[], terms: readonly string[], toolBytes: number): SearchResult {
  const kept = found.slice(0, mostMatches);
  const excerpts = kept.map((match) => excerptsOf((JSON.parse(match.body) as { text: string }).text, terms));
  const matchesWith = (length: number) => kept.map((match, i) => matchData(match, excerpts[i]?.(length) ?? ""));

  let matches: SearchMatch[] = [];
  for (const length of excerptLengths) {
    matches = matchesWith(length);
    const result = { matches, truncated: found.length > mostMatches || length !== excerptLengths[0] };
    if (bytesOf(result) <= toolBytes) return result;
  }
  while (matches.length > 0 && bytesOf({ matches, truncated: true }) > toolBytes) matches.pop();
  return { matches, truncated: true };
}

function matchData(match: Match, excerpt: string): SearchMatch {
  return {
    sessionId: match.session_id,
    messageId: match.message_id,
    title: match.title,
    createdAt: match.created_at,
    role: match.kind,
    excerpt,
  };
}

function bytesOf(result: SearchResult): number {
  return utf8Length(JSON.stringify(result)) + 1;
}
