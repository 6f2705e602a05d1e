/** A short piece of a text around the first place where a search term stands, as one line. */

/** At most `length` code points, the marks of omission not counted. */
export function excerptAround(text: string, terms: readonly string[], length: number): string {
  const points = [...text.toWellFormed()];
  const hit = firstHit(points, terms);
  const start = Math.max(0, Math.min(hit - Math.floor(length / 4), points.length - length));
  const end = Math.min(points.length, start + length);
  const piece = points
    .slice(start, end)
    .join("")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${piece}${end < points.length ? "…" : ""}`;
}

/** The code point at which the earliest term stands, compared as the index does: without case and accents. */
function firstHit(points: readonly string[], terms: readonly string[]): number {
  const starts: number[] = [];
  let folded = "";
  for (const [i, point] of points.entries()) {
    const plain = fold(point);
    folded += plain;
    for (let unit = 0; unit < plain.length; unit++) starts.push(i);
  }
  let earliest = points.length;
  for (const term of terms) {
    const at = folded.search(tokenPattern(fold(term)));
    if (at >= 0) earliest = Math.min(earliest, starts[at] ?? 0);
  }
  return earliest === points.length ? 0 : earliest;
}

function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
}

/** The term's words with anything but words between them; a word begins and ends where its script marks that. */
function tokenPattern(term: string): RegExp {
  const words = term.match(/[\p{L}\p{N}\p{Co}\p{M}]+/gu) ?? [];
  const body = words.map((word) => RegExp.escape(word)).join("[^\\p{L}\\p{N}\\p{Co}\\p{M}]+");
  const spaced = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Devanagari}\p{N}]/u.test(
    term,
  );
  return new RegExp(spaced ? `(?<![\\p{L}\\p{N}\\p{Co}\\p{M}])${body}(?![\\p{L}\\p{N}\\p{Co}\\p{M}])` : body, "u");
}
