/**
 * Short pieces of a text around the first place where a search term stands, each as one line. The text is looked
 * through once, and only as far as that place.
 */
import { breakAfter, folded } from "../store/segment.ts";
import { hitsIn, phrasesOf } from "./hits.ts";

/** Gives the piece of at most that many code points, the marks of omission not counted. */
export function excerptsOf(given: string, terms: readonly string[]): (length: number) => string {
  const text = given.toWellFormed().normalize("NFC");
  const hit = firstHit(text, terms);
  return (length) => {
    const from = pointsBefore(text, hit, Math.floor(length / 4));
    const end = pointsAfter(text, from, length);
    const start = end === text.length ? pointsBefore(text, end, length) : from;
    const piece = text
      .slice(start, end)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
      .trim();
    return `${start > 0 ? "…" : ""}${piece}${end < text.length ? "…" : ""}`;
  };
}

/** Where the first term begins: one whose words stand in a row. 0 where there is none. */
function firstHit(text: string, terms: readonly string[]): number {
  const phrases = phrasesOf(terms);
  let before = 0;
  for (let at = 0; at < text.length; ) {
    const end = breakAfter(text, at + pieceLength);
    // Words are parted only where they may be: that costs ten times as much as to look for one as a piece of text.
    const piece = folded(text.slice(at, end));
    if (phrases.some((phrase) => piece.includes(phrase.at(-1) ?? ""))) {
      const [hit] = hitsIn(text.slice(before, end), phrases);
      if (hit !== undefined) return before + hit.start;
    }
    before = at;
    at = end;
  }
  return 0;
}

/** Longer than the words of any query, so that a phrase stands in one piece or in two. */
const pieceLength = 8_192;

function pointsBefore(text: string, end: number, count: number): number {
  let at = end;
  for (let points = 0; at > 0 && points < count; points++) at -= isPair(text, at - 2) ? 2 : 1;
  return at;
}

function pointsAfter(text: string, start: number, count: number): number {
  let at = start;
  for (let points = 0; at < text.length && points < count; points++) at += isPair(text, at) ? 2 : 1;
  return at;
}

/** The text is well formed, so a high half is followed by its low one. */
function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
