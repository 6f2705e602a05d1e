/**
 * Wraps streaming text at words by display width. A character is written as soon as its place is known: at once where
 * the line has room for any usual word, and near the right margin when its word has ended or has turned out too long for
 * the line. Where the text is cut between two calls makes no difference.
 *
 * A word that is longer than a line, and code, are left to the terminal's own wrapping: so they are copied whole.
 */
import { type ClusterKind, openClusters } from "./clusters.ts";
import { type Ink, noInk, type Pen, type Span, widthOf } from "./pen.ts";

export interface Wrap {
  /** Begins a line: `first` stands before its text, `hang` before each line that it is continued on. */
  start(first: readonly Span[], hang: readonly Span[]): void;
  text(text: string, ink: Ink): void;
  /** A word that is known whole, such as an address: it is never broken where the next line has room for it. */
  word(text: string, ink: Ink): void;
  /** Not wrapped: code, rules, rows of a table. */
  raw(text: string, ink: Ink): void;
  end(): void;
}

export interface WrapOptions {
  columns(): number;
  /** Writes spaces at the end of a line too, and prefixes whole: with line ends taken away it is the text given. */
  readonly exact: boolean;
}

/** A word that begins with this room or more is not waited for. */
const usualWord = 24;
/** What no line begins with in Chinese and Japanese: it takes the character before it along to the next. */
const closes =
  /^[、。，．・：；？！゛゜）］｝」』】〕〉》〗〙’”ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ]/;
/** More blanks in a row than this are no gap between words. */
const longestGap = 256;

export function openWrap(pen: Pen, options: WrapOptions): Wrap {
  const clusters = openClusters(visit);
  let columns = 0;
  let at = 0;
  let hang: readonly Span[] = [];
  let hangWidth = 0;
  /** Nothing but the prefix stands on the line. */
  let empty = true;
  let ink = noInk;
  let gap = "";
  let gapInk = noInk;
  let gapWidth = 0;
  /** `last`: what may stand at the end of the line, if nothing follows that no line begins with. */
  let state: "between" | "flowing" | "held" | "last" = "between";
  let word: Span[] = [];
  let wordWidth = 0;

  function change(to: Ink): void {
    if (to === ink) return;
    clusters.flush();
    ink = to;
  }

  function visit(text: string, width: number, kind: ClusterKind): void {
    const closing = kind === "break" && (state === "held" || state === "last") && closes.test(text);
    if (state === "last" && !closing && kind !== "join") endWord();
    if (kind === "space") space(text);
    else if (kind === "break" && !closing) alone(text, width);
    else if (kind === "join" && state === "between" && gap === "" && !empty) print(text, width);
    else inWord(text, width);
    if (closing && state === "held") state = "last";
  }

  function inWord(text: string, width: number): void {
    if (state === "between") begin();
    if (state === "flowing") {
      print(text, width);
      return;
    }
    word.push({ text, ink });
    wordWidth += width;
    if (gapWidth + wordWidth > columns - at) turn();
  }

  function space(text: string): void {
    endWord();
    gapInk = ink;
    const blanks = options.exact || !text.includes("\t") ? text : text.replaceAll("\t", " ");
    for (let from = 0; from < blanks.length; ) {
      const piece = blanks.slice(from, from + longestGap - gap.length);
      from += longestGap - gap.length;
      gap += piece;
      gapWidth += piece.length + (piece.includes("\t") ? 7 * (piece.split("\t").length - 1) : 0);
      if (gap.length < longestGap) return;
      if (options.exact) printGap();
      else return;
    }
  }

  function alone(text: string, width: number): void {
    endWord();
    if (empty && !options.exact) dropGap();
    if (turningHelps() && at + gapWidth + width > columns) turn();
    const room = columns - at - gapWidth - width;
    if (turningHelps() && room >= 0 && room < 2 && !closes.test(text)) {
      state = "last";
      inWord(text, width);
      return;
    }
    printGap();
    print(text, width);
  }

  function begin(): void {
    if (empty && !options.exact) dropGap();
    if (turningHelps() && columns - at - gapWidth < usualWord) {
      state = "held";
      return;
    }
    printGap();
    state = "flowing";
  }

  /** The next line has more room than this one. */
  function turningHelps(): boolean {
    return !empty || gap !== "" || at > hangWidth;
  }

  /** To the next line, with the word that is held. */
  function turn(): void {
    dropGap();
    pen.newline();
    columns = options.columns();
    prefix(hang, hangWidth);
    if (state === "held" || state === "last") release();
  }

  function release(): void {
    for (const part of word) pen.put(part.text, part.ink);
    advance(wordWidth);
    word = [];
    wordWidth = 0;
    empty = false;
    state = state === "last" ? "between" : "flowing";
  }

  function endWord(): void {
    if (state === "held" || state === "last") {
      printGap();
      release();
    }
    state = "between";
  }

  function print(text: string, width: number): void {
    pen.put(text, ink);
    empty = false;
    advance(width);
  }

  /** The terminal takes what is over the margin to the beginning of its next line. */
  function advance(width: number): void {
    at += width;
    if (at > columns) at = ((at - 1) % columns) + 1;
  }

  function printGap(): void {
    if (gap === "") return;
    pen.put(gap, gapInk);
    advance(gapWidth);
    dropGap();
  }

  function dropGap(): void {
    gap = "";
    gapWidth = 0;
  }

  function prefix(spans: readonly Span[], width: number): void {
    for (const { text, ink } of spans) pen.put(text, ink);
    at = 0;
    advance(width);
    empty = true;
  }

  return {
    start(first, next) {
      columns = Math.max(1, options.columns());
      hang = options.exact ? next : fitting(next, columns / 2);
      hangWidth = widthOf(hang);
      if (hangWidth > columns / 2) {
        hang = [];
        hangWidth = 0;
      }
      const shown = options.exact ? first : fitting(first, columns / 2);
      prefix(shown, widthOf(shown));
    },
    text(text, as) {
      change(as);
      clusters.push(text);
    },
    word(text, as) {
      change(as);
      clusters.flush();
      const width = Bun.stringWidth(text);
      const moves = at + gapWidth + width > columns && width <= columns - hangWidth;
      if (state === "between" && turningHelps() && moves) turn();
      clusters.push(text);
    },
    raw(text, as) {
      clusters.flush();
      endWord();
      printGap();
      pen.put(text, as);
      empty = false;
    },
    end() {
      clusters.flush();
      endWord();
      if (options.exact) printGap();
      else dropGap();
      pen.newline();
      ink = noInk;
    },
  };
}

/** Leaves out the outermost bars and blanks until the rest fits; what says something stays. */
function fitting(spans: readonly Span[], most: number): readonly Span[] {
  let from = 0;
  while (from < spans.length - 1 && /^[ │]*$/.test(spans[from]?.text ?? "") && widthOf(spans.slice(from)) > most)
    from++;
  return from === 0 ? spans : spans.slice(from);
}
