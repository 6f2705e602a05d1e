/**
 * What a word is for search, the same for what is indexed, what is asked and where an excerpt stands. In scripts without
 * spaces each character is a word of its own, so that words inside a text are found.
 */

/** Katakana by its extensions: the mark that makes a sound long (ー) belongs to no single script. */
const unspaced =
  "[\\p{sc=Han}\\p{sc=Hiragana}[\\p{scx=Katakana}&&\\p{L}]\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{sc=Tibetan}]";
const unspacedCharacter = new RegExp(`${unspaced}\\p{M}*`, "gv");
/** The categories are those of the index's tokenizer: see schema.ts. */
const caseless = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]$/u;
const word = new RegExp(`${unspaced}\\p{M}*|[[\\p{L}\\p{N}\\p{Co}\\p{Mn}\\p{Mc}]--${unspaced}]+`, "gv");

/** The text with a break around each character that is a word. */
export function segmented(text: string): string {
  return text.normalize("NFC").replace(unspacedCharacter, "\u200b$&\u200b");
}

/** The words of a text in form NFC. */
export function wordsIn(text: string): RegExpStringIterator<RegExpExecArray> {
  return text.matchAll(word);
}

/** A word as the index compares it: without case and accents. */
export function folded(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text.toLowerCase();
  if (caseless.test(text)) return text;
  const bare = text.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  return bare.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}
