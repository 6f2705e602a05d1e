/**
 * What a word is for search, the same for what is indexed, what is asked and where an excerpt stands. In scripts without
 * spaces each character is a word of its own, so that words inside a text are found.
 */

/** Katakana by its extensions: the mark that makes a sound long (ー) belongs to no single script. Sets of characters are
 * not subtracted from each other (`[a--b]`), because the engine takes milliseconds to prepare that at each start. */
const unspaced =
  "(?:[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{sc=Tibetan}]|(?=\\p{L})\\p{scx=Katakana})";
const caseless = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]$/u;
const word = new RegExp(
  `${unspaced}[\\p{M}\\uff9e\\uff9f]*|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{Co}\\p{Mn}\\p{Mc}])+`,
  "gu",
);
const wordBreak = new RegExp(`${unspaced}|[^\\p{L}\\p{N}\\p{Co}\\p{M}\\uff9e\\uff9f]`, "gu");

/**
 * The text as it is indexed and asked for: its words, one space between them, so that the index's own tokenizer has
 * nothing to decide. It knows an older Unicode, and takes what is not in that for letters.
 */
export function segmented(text: string): string {
  return folded(text).match(word)?.join(" ") ?? "";
}

/** The words of a text in form NFC; `folded` makes them comparable. */
export function wordsIn(text: string): RegExpStringIterator<RegExpExecArray> {
  return text.matchAll(word);
}

/** The first place from there on at which no word is under way. */
export function breakAfter(text: string, from: number): number {
  wordBreak.lastIndex = from;
  return wordBreak.exec(text)?.index ?? text.length;
}

/** Without case, accents and the width that some scripts give to letters. */
export function folded(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text.toLowerCase();
  if (caseless.test(text)) return text;
  const bare = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  return bare.normalize("NFKC").toLowerCase().replaceAll("ς", "σ");
}
