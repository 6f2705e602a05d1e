/**
 * Text as a terminal and a person take it: graphemes with their widths, and the boundaries of graphemes and words around
 * a place in it. Places are offsets in code units that never lie within a grapheme.
 */
/** Made at the first text that needs one: it takes milliseconds. */
let byGrapheme: Intl.Segmenter | undefined;
let byWord: Intl.Segmenter | undefined;
const plain = /^[\x20-\x7e]*$/;

export function graphemes(text: string): readonly string[] {
  return plain.test(text) ? text.split("") : Array.from(graphemesOf(text), ({ segment }) => segment);
}

/** At most `width` columns; what was cut ends with an ellipsis. A grapheme is never split. */
export function cutWidth(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += Bun.stringWidth(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return width > 0 ? `${kept}…` : "";
}

/** The nearest boundary before the place. */
export function before(text: string, at: number): number {
  if (at <= 0) return 0;
  return plain.test(text) ? at - 1 : (graphemesOf(text).containing(at - 1)?.index ?? at - 1);
}

export function after(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (plain.test(text)) return at + 1;
  const found = graphemesOf(text).containing(at);
  return found === undefined ? at + 1 : found.index + found.segment.length;
}

/** The place itself, or the end of the grapheme that it lies within. */
export function boundary(text: string, at: number): number {
  return at <= 0 ? 0 : after(text, at - 1);
}

/** Where the word before the place begins, as Unicode and its dictionaries divide words. */
export function wordStart(text: string, at: number): number {
  let start = 0;
  for (const { index, isWordLike } of wordsOf(text)) {
    if (index >= at) break;
    if (isWordLike) start = index;
  }
  return start;
}

export function wordEnd(text: string, at: number): number {
  for (const { index, segment, isWordLike } of wordsOf(text)) {
    if (isWordLike && index + segment.length > at) return index + segment.length;
  }
  return text.length;
}

/** Where the run of characters between spaces that ends at the place begins. */
export function chunkStart(text: string, at: number): number {
  const head = text.slice(0, at).trimEnd();
  return head.length - (/\S*$/.exec(head)?.[0].length ?? 0);
}

/**
 * Terminals disagree about how wide it is: emoji beyond one plain character, flags, conjuncts. Everything else is one
 * character of the basic plane or an ideograph, with marks that take no width.
 */
export function isDisputed(grapheme: string): boolean {
  return (
    !/^(?:[\0-\u1fff\u2010-\u218f\u2e80-\ud7ff\uf900-\uffdc]|[\u{20000}-\u{3ffff}])\p{Mn}*$/u.test(grapheme) ||
    /\ufe0e|\ufe0f|\u200d|\u20e3/.test(grapheme)
  );
}

function graphemesOf(text: string): Intl.Segments {
  byGrapheme ??= new Intl.Segmenter();
  return byGrapheme.segment(text);
}

function wordsOf(text: string): Intl.Segments {
  byWord ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return byWord.segment(text);
}
