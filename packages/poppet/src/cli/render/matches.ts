/** What a search found, for people: where and when it was said, and the piece around it with the words set apart. */
import type { SearchMatch } from "../../assistant.ts";
import { cleanLine } from "../../clean.ts";
import { cutWidth } from "../graphemes.ts";
import type { TextSpan } from "../parts.ts";
import type { Span } from "./pen.ts";
import { inRole, plain, prose, type Sheet } from "./prose.ts";
import { relativeTime } from "./time.ts";

/** A match whose excerpt is cleaned, with the places of the words in it. */
export interface FoundMatch extends Pick<SearchMatch, "title" | "createdAt" | "role" | "excerpt"> {
  readonly shortId: string;
  readonly hits: readonly TextSpan[];
}

export interface Found {
  readonly matches: readonly FoundMatch[];
  readonly truncated: boolean;
}

export function foundText(found: Found, now: number, page: Sheet & { readonly columns: number }): string {
  if (found.matches.length === 0) {
    return `${prose([plain("Nothing that was said has every one of these words.")], page)}\n`;
  }
  const blocks = found.matches.map((match) => matchBlock(match, now, page));
  if (found.truncated)
    blocks.push(prose([inRole("There is more: add a word to narrow the search.", "dim", page)], page));
  return `${blocks.join("\n\n")}\n`;
}

function matchBlock(match: FoundMatch, now: number, page: Sheet & { readonly columns: number }): string {
  const who = match.role === "user" ? "you" : "Poppet";
  const title = cutWidth(cleanLine(match.title ?? "") || "(unnamed)", page.columns);
  const place = cutWidth(`${match.shortId}  ${relativeTime(match.createdAt, now)}  ${who}`, page.columns);
  return [
    prose([inRole(title, "strong", page)], page),
    prose([inRole(place, "dim", page)], page),
    prose(highlighted(match, page), page, page.columns < 20 ? "" : "  "),
  ].join("\n");
}

function highlighted({ excerpt, hits }: FoundMatch, page: Sheet): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of hits) {
    spans.push(plain(excerpt.slice(at, start)), inRole(excerpt.slice(start, end), "found", page));
    at = end;
  }
  return [...spans, plain(excerpt.slice(at))];
}
