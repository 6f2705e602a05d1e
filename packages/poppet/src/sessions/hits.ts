/** Where the terms of a search stand in a text, by the words that the index has: whatever their case, accents and width. */
import { folded, wordsIn } from "../store/segment.ts";
import { termsOf } from "./terms.ts";

/** A piece of a text, by its indices. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

/** A term as the words that must stand in a row. */
type Phrase = readonly string[];

export function phrasesOf(terms: readonly string[]): readonly Phrase[] {
  return terms.map((term) => [...wordsIn(term.normalize("NFC"))].map((found) => folded(found[0])));
}

/** Every place of every phrase, by where it ends, in a text of form NFC. */
export function* hitsIn(text: string, phrases: readonly Phrase[]): Generator<Hit> {
  const byLast = Map.groupBy(phrases, (phrase) => phrase.at(-1));
  const words: string[] = [];
  const starts: number[] = [];
  for (const found of wordsIn(text)) {
    const word = folded(found[0]);
    words.push(word);
    starts.push(found.index);
    for (const phrase of byLast.get(word) ?? []) {
      const first = words.length - phrase.length;
      const start = starts[first];
      if (start === undefined || !phrase.every((one, i) => one === words[first + i])) continue;
      yield { start, end: found.index + found[0].length };
    }
  }
}

/** What to highlight of short texts in form NFC: whole graphemes, in order, none touching the next. */
export function highlights(query: string, texts: readonly string[]): readonly (readonly Hit[])[] {
  const phrases = phrasesOf(termsOf(query));
  return texts.map((text) => merged(text, [...hitsIn(text, phrases)]));
}

function merged(text: string, hits: readonly Hit[]): readonly Hit[] {
  if (hits.length === 0) return [];
  const found: Hit[] = [];
  for (const { index, segment } of new Intl.Segmenter().segment(text)) {
    const end = index + segment.length;
    if (!hits.some((hit) => hit.start < end && hit.end > index)) continue;
    const last = found.at(-1);
    if (last?.end === index) found[found.length - 1] = { start: last.start, end };
    else found.push({ start: index, end });
  }
  return found;
}
