/**
 * Cuts streaming text into what a terminal shows in one place, with its width in columns. The cuts do not depend on how
 * the text arrived. Only a cluster that may still grow (an emoji, a flag, an Indic syllable) waits for what follows it:
 * a row of ASCII comes as one piece, letters that stand alone come at once, a mark that joins them comes after them.
 */
import { graphemes } from "../graphemes.ts";

/**
 * - space: columns that a line may end at
 * - word: belongs to the word that it stands in
 * - break: a line may end before and after it, as in scripts without spaces
 * - join: belongs to what stands before it, whatever that is
 */
export type ClusterKind = "space" | "word" | "break" | "join";

export type Visit = (text: string, width: number, kind: ClusterKind) => void;

export interface Clusters {
  push(text: string): void;
  /** What was held is whole. */
  flush(): void;
}

/** Letters and signs whose look and width no following character changes. */
const alone =
  /[\u00c0-\u02ff\u0370-\u0482\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u1e00-\u1fff\u2010-\u2027\u2030-\u203b\u2500-\u257f\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/;
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{Regional_Indicator}\u3000-\u303f\u30fb\u30fc\uff01-\uff60]/u;
const joining = /^[\p{M}\u200c\u200d]/u;
const keycap = "\u20e3";
/** Code points. A thousand joined emoji are no cluster that anybody waits for. */
const longestRow = 64;

export function openClusters(visit: Visit): Clusters {
  /** The last cluster of a row of those that may grow, until something else comes. */
  let held = "";
  let rowLength = 0;

  function flush(): void {
    rowLength = 0;
    if (held === "") return;
    const text = held;
    held = "";
    show(text);
  }

  function show(text: string): void {
    if (joining.test(text)) visit(text, text.includes(keycap) ? 1 : 0, "join");
    else visit(text, widest(text), unspaced.test(text) ? "break" : "word");
  }

  function mixed(text: string): void {
    let growing = "";
    for (const character of text) {
      const stands = alone.test(character);
      if (!stands) growing += character;
      if (!stands && ++rowLength < longestRow) continue;
      grow(growing);
      growing = "";
      flush();
      if (stands) show(character);
    }
    grow(growing);
  }

  function grow(text: string): void {
    if (text === "") return;
    const all = held + text;
    held = "";
    let last = "";
    for (const segment of graphemes(all)) {
      if (last !== "") show(last);
      last = segment;
    }
    held = last;
  }

  function row(text: string, kind: 0 | 1 | 2): void {
    if (kind === other) {
      mixed(text);
      return;
    }
    if (held !== "") flush();
    visit(text, text.length, kind === blank ? "space" : "word");
  }

  return {
    push(text) {
      let from = 0;
      let kind = kindOf(text.charCodeAt(0));
      for (let at = 1; at < text.length; at++) {
        const next = kindOf(text.charCodeAt(at));
        if (next === kind) continue;
        row(text.slice(from, at), kind);
        from = at;
        kind = next;
      }
      if (text !== "") row(from === 0 ? text : text.slice(from), kind);
    },
    flush,
  };
}

/** Half of the terminals draw the parts of a joined emoji one by one: a line ends early rather than running over. */
function widest(text: string): number {
  const width = Bun.stringWidth(text);
  if (text.length <= 2) return width;
  let apart = 0;
  for (const character of text) apart += Bun.stringWidth(character);
  return Math.max(width, apart);
}

const blank = 0;
const ascii = 1;
const other = 2;

function kindOf(unit: number): 0 | 1 | 2 {
  if (unit > 0x20 && unit < 0x7f) return ascii;
  return unit === 0x20 || unit === 0x09 ? blank : other;
}
