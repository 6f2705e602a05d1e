/**
 * Whether a row of `*`, `_` or `~` begins or ends emphasis, by CommonMark's rules of what stands on either side. Beyond
 * them letters of scripts without spaces count as an edge, so that `**「重点」**内容` is what its writer meant.
 */

export interface Sides {
  readonly opens: boolean;
  readonly closes: boolean;
}

const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;
const unspaced = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\u0e00-\u0eff]/;
const letter = /[\p{L}\p{N}"'“‘«([{<$#@&\ud800-\udbff]/u;

/** `before` and `after` are the characters on both sides, "" for the edge of the line. */
export function sidesOf(mark: string, before: string, after: string): Sides {
  const spaceBefore = before === "" || space.test(before);
  const spaceAfter = after === "" || space.test(after);
  const edgeBefore = spaceBefore || punctuation.test(before);
  const edgeAfter = spaceAfter || punctuation.test(after);
  const left = !spaceAfter && (!punctuation.test(after) || edgeBefore || unspaced.test(before));
  const right = !spaceBefore && (!punctuation.test(before) || edgeAfter || unspaced.test(after));
  if (mark !== "_") return { opens: left, closes: right };
  return { opens: left && (!right || punctuation.test(before)), closes: right && (!left || punctuation.test(after)) };
}

/** Looks so much like a beginning that it is believed before its end is seen: not `2**8`, not `*.ts`. */
export function surelyOpens(before: string, after: string): boolean {
  return (
    (before === "" || space.test(before) || /[([{"'“‘«—–/:：，。、]/.test(before) || unspaced.test(before)) &&
    letter.test(after)
  );
}

/**
 * Whether emphasis that began before `from` with `count` marks is ended by a row that is whole before `limit`. Undefined:
 * more text is needed to tell.
 */
export function closesWithin(
  text: string,
  from: number,
  limit: number,
  mark: string,
  count: number,
  ended: boolean,
): boolean | undefined {
  const inner: number[] = [];
  let at = from;
  while (at < text.length && at < limit) {
    const unit = text[at] ?? "";
    if (unit === "\\") {
      at += 2;
      continue;
    }
    if (unit === "`") {
      const open = rowEnd(text, at, limit);
      const close = closingRow(text, at, open, limit);
      if (close === null && text.length < limit && !ended) return undefined;
      at = close?.end ?? open;
      continue;
    }
    if (unit !== mark) {
      at++;
      continue;
    }
    const end = rowEnd(text, at, limit);
    if (end >= limit) return false;
    if (end === text.length && !ended) return undefined;
    const sides = sidesOf(mark, text[at - 1] ?? "", text[end] ?? "");
    let left = end - at;
    while (sides.closes && (inner.at(-1) ?? Number.POSITIVE_INFINITY) <= left) left -= inner.pop() ?? 0;
    if (sides.closes && inner.length === 0 && left > 0 && (left >= count || count > 2)) return true;
    if (sides.opens && !sides.closes) inner.push(end - at);
    at = end;
  }
  return text.length >= limit || ended ? false : undefined;
}

/** The end of a row of one character, looked for no further than `limit`. */
export function rowEnd(text: string, from: number, limit: number): number {
  const mark = text[from];
  let end = from + 1;
  while (end < limit && end < text.length && text[end] === mark) end++;
  return end;
}

/** The row of as many backticks that ends what `from` to `open` began, if it is whole before `limit`. */
export function closingRow(
  text: string,
  from: number,
  open: number,
  limit: number,
): { readonly from: number; readonly end: number } | null {
  let at = text.indexOf("`", open);
  while (at >= 0 && at < limit) {
    const end = rowEnd(text, at, limit);
    if (end >= limit) return null;
    if (end - at === open - from) return { from: at, end };
    at = text.indexOf("`", end);
  }
  return null;
}
