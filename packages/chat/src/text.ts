/** Lengths and cuts of text. A cut never splits a code point, whatever it is measured in. */

/** Bytes of the text in UTF-8; a lone surrogate counts as the three bytes of U+FFFD that it is sent as. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(text, i)) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

/** The longest beginning of at most `limit` UTF-8 bytes. */
export function cutBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let bytes = 0;
  for (let i = 0; i < text.length; ) {
    const pair = isPair(text, i);
    const unit = text.charCodeAt(i);
    bytes += pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (bytes > limit) return text.slice(0, i);
    i += pair ? 2 : 1;
  }
  return text;
}

/** The longest beginning of at most `limit` code points. */
export function cutCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let i = 0;
  for (let points = 0; i < text.length && points < limit; points++) i += isPair(text, i) ? 2 : 1;
  return text.slice(0, i);
}

function isPair(text: string, i: number): boolean {
  const high = text.charCodeAt(i);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(i + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
