/** The likeliest spelling that was meant, for "did you mean". Case, hyphens and underscores do not count. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const given = plain(word);
  if (given === "") return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(given, plain(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** `; did you mean "x"?`, or nothing where no candidate is near. */
export function hint(word: string, candidates: readonly string[]): string {
  const found = nearest(word, candidates);
  return found === null ? "" : `; did you mean "${found}"?`;
}

function plain(word: string): string {
  return word.slice(0, 64).toLowerCase().replaceAll(/[-_]/g, "");
}

/** Insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
