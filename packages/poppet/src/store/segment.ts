/** Makes words inside text without spaces findable: each character of such a script becomes a token of its own. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]\p{M}*/gu;

export function segmented(text: string): string {
  return text.normalize("NFC").replace(unspaced, "\u200b$&\u200b");
}
