/**
 * Emphasis, code, links and the like inside a line, as it streams. Text is passed on at once; held back is only a mark
 * that may have another half, until that is seen, until the line ends (it was no mark) or until so much has followed that
 * it is believed. What is decided depends on the text alone, never on how it arrived, and nothing looks further than a
 * fixed distance ahead: the work grows with the text and no faster.
 */
import { type Ink, mix, noInk } from "../pen.ts";
import type { Theme } from "../theme.ts";
import { closesWithin, closingRow, rowEnd, sidesOf, surelyOpens } from "./emphasis.ts";
import { entityAt } from "./entities.ts";
import {
  angledAddressAt,
  bareAddressAt,
  type Link,
  linkAt,
  longestAngled,
  misleads,
  safeAddress,
  shownTarget,
} from "./links.ts";

export interface Inline {
  /** Begins a block of text in an ink. */
  begin(base: Ink): void;
  push(text: string): void;
  /** Marks that were believed stay open over the lines of a block. */
  endLine(): void;
}

export interface InlineOptions {
  readonly theme: Theme;
  /** The terminal knows OSC 8. */
  readonly links: boolean;
}

/** A word is known whole. */
export type Put = (text: string, ink: Ink, unit: "text" | "word") => void;

/** How many units may follow an opening mark before it is believed. A lone `*` is more often no mark than `**` is. */
const patience = { strong: 32, emphasis: 96, code: 48 };
const longestRow = 64;
const deepest = 8;
const longestLink = 1024;

const mayMark = /[\\`*_~[!<&]|h(?:t|$)/i;
const special = /[\\`*_~[!<&]|h(?=t|$)/gi;
const escapable = /[!-/:-@[-`{-~]/;

interface Mark {
  readonly mark: string;
  readonly count: 1 | 2;
}

export function openInline(put: Put, options: InlineOptions, inLink = false): Inline {
  const { theme } = options;
  let base = noInk;
  let ink = noInk;
  let marks: Mark[] = [];
  /** Backticks of the code span that is under way and was believed; 0 outside. */
  let code = 0;
  let codeInk = noInk;
  let waiting = "";
  let before = "";

  function read(ended: boolean): void {
    let at = 0;
    while (at < waiting.length) {
      const taken = code > 0 ? inCode(at, ended) : outside(at, ended);
      if (taken === 0) break;
      at += taken;
    }
    if (at === 0) return;
    before = waiting[at - 1] ?? "";
    waiting = waiting.slice(at);
  }

  /** How many units of what waits are done with; 0 where more is needed. */
  function outside(at: number, ended: boolean): number {
    special.lastIndex = at;
    const next = special.exec(waiting)?.index ?? waiting.length;
    if (next > at) return say(waiting.slice(at, next));
    switch (waiting[at]) {
      case "\\":
        return escaped(at, ended);
      case "`":
        return codeSpan(at, ended);
      case "*":
      case "_":
      case "~":
        return emphasis(at, ended);
      case "[":
        return inLink ? say("[") : link(at, ended, false);
      case "!":
        return image(at, ended);
      case "<":
        return angled(at, ended);
      case "&":
        return entity(at, ended);
      default:
        return bareAddress(at, ended);
    }
  }

  function say(text: string): number {
    put(text, ink, "text");
    return text.length;
  }

  function previous(at: number): string {
    return at > 0 ? (waiting[at - 1] ?? "") : before;
  }

  function escaped(at: number, ended: boolean): number {
    const next = waiting[at + 1];
    // At the end of a line it is a hard break, and every line end is one here.
    if (next === undefined) return ended ? 1 : 0;
    if (!escapable.test(next)) return say("\\");
    say(next);
    return 2;
  }

  function codeSpan(at: number, ended: boolean): number {
    const open = rowEnd(waiting, at, at + longestRow);
    const count = open - at;
    if (count === longestRow) return say(waiting.slice(at, open));
    if (open === waiting.length && !ended) return 0;
    const limit = open + patience.code;
    const close = closingRow(waiting, at, open, limit);
    // It may become a longer row.
    if (close?.end === waiting.length && !ended) return 0;
    if (close !== null) {
      const text = trimCode(waiting.slice(open, close.from));
      put(text, mix(ink, theme.code), /\s/.test(text) ? "text" : "word");
      return close.end - at;
    }
    if (waiting.length >= limit) {
      code = count;
      codeInk = mix(ink, theme.code);
      return count;
    }
    return ended ? say(waiting.slice(at, open)) : 0;
  }

  function inCode(at: number, ended: boolean): number {
    const mark = waiting.indexOf("`", at);
    if (mark !== at) {
      const text = waiting.slice(at, mark < 0 ? undefined : mark);
      put(text, codeInk, "text");
      return text.length;
    }
    const end = rowEnd(waiting, at, at + longestRow);
    if (end === waiting.length && !ended) return 0;
    if (end - at === code) code = 0;
    else put(waiting.slice(at, end), codeInk, "text");
    return end - at;
  }

  function emphasis(at: number, ended: boolean): number {
    const mark = waiting[at] ?? "";
    const end = rowEnd(waiting, at, at + longestRow);
    const count = end - at;
    if (count === longestRow) return say(waiting.slice(at, end));
    if (end === waiting.length && !ended) return 0;
    if (mark === "~" && count !== 2) return say(waiting.slice(at, end));
    const sides = sidesOf(mark, previous(at), waiting[end] ?? "");
    const closing = sides.closes ? closable(mark, count) : 0;
    if (closing > 0) {
      close(mark, closing);
      return closing;
    }
    if (!sides.opens || count > 3 || marks.length >= deepest) return say(waiting.slice(at, end));
    const limit = end + (count === 1 ? patience.emphasis : patience.strong);
    const closes = closesWithin(waiting, end, limit, mark, count, ended);
    if (closes === undefined) return 0;
    const believed = waiting.length >= limit && surelyOpens(previous(at), waiting[end] ?? "");
    if (!closes && !believed) return say(waiting.slice(at, end));
    if (count >= 2) marks.push({ mark, count: 2 });
    if (count !== 2) marks.push({ mark, count: 1 });
    paint();
    return count;
  }

  /** How many of a row of marks end what is open. */
  function closable(mark: string, count: number): number {
    let used = 0;
    for (const open of marks.toReversed()) {
      if (open.mark !== mark) continue;
      if (used + open.count > count) break;
      used += open.count;
    }
    return used;
  }

  /** What was opened inside ends with it. */
  function close(mark: string, count: number): void {
    let left = count;
    while (left > 0) {
      const open = marks.pop();
      if (open === undefined) break;
      if (open.mark === mark) left -= open.count;
    }
    paint();
  }

  function paint(): void {
    ink = base;
    for (const { mark, count } of marks)
      ink = mix(ink, mark === "~" ? theme.strike : count === 2 ? theme.strong : theme.emphasis);
  }

  function link(at: number, ended: boolean, isImage: boolean): number {
    const from = isImage ? at + 1 : at;
    const window = waiting.slice(from, from + longestLink);
    const found = linkAt(window);
    if (found === undefined && window.length < longestLink && !ended) return 0;
    if (!found) return say(waiting.slice(at, from + 1));
    if (isImage && inLink) put(found.label, ink, "text");
    else drawLink(found);
    return from - at + found.length;
  }

  function image(at: number, ended: boolean): number {
    const next = waiting[at + 1];
    if (next === undefined && !ended) return 0;
    return next === "[" ? link(at, ended, true) : say("!");
  }

  function angled(at: number, ended: boolean): number {
    if (inLink) return say("<");
    const found = angledAddressAt(waiting.slice(at, at + longestAngled), ended);
    if (found === undefined) return 0;
    if (found === null) return say("<");
    drawLink(found);
    return found.length;
  }

  function bareAddress(at: number, ended: boolean): number {
    if (inLink || /[\p{L}\p{N}_]/u.test(previous(at))) return say(waiting[at] ?? "");
    const found = bareAddressAt(waiting.slice(at, at + 2 * longestLink + 1), ended);
    if (found === undefined) return 0;
    if (found === null) return say(waiting[at] ?? "");
    put(found, linked(found), "word");
    return found.length;
  }

  function entity(at: number, ended: boolean): number {
    const found = entityAt(waiting.slice(at, at + 16));
    if (found === undefined && !ended) return 0;
    if (!found) return say("&");
    put(found.text, ink, "text");
    return found.length;
  }

  function linked(target: string): Ink {
    const url = options.links ? safeAddress(target) : null;
    return { sgr: mix(ink, theme.link).sgr, url: url ?? "" };
  }

  function drawLink({ label, target }: Link): void {
    const inked = linked(target);
    let text = "";
    const inner = openInline(
      (piece, as, unit) => {
        text += piece;
        put(piece, as, unit);
      },
      options,
      true,
    );
    const shown = shownTarget(target);
    inner.begin(inked);
    inner.push(label.trim() === "" ? shown : label);
    inner.endLine();
    const said = shown === text || shown === `mailto:${text}` || shown === `${text}/` || shown === "";
    if (said || (inked.url !== "" && !misleads(text, inked.url))) return;
    put(" ", ink, "text");
    put(`(${shown})`, mix(ink, theme.address), "word");
  }

  return {
    begin(as) {
      base = as;
      ink = as;
      marks = [];
      code = 0;
    },
    push(text) {
      if (waiting === "" && code === 0 && text !== "" && !mayMark.test(text)) {
        put(text, ink, "text");
        before = text[text.length - 1] ?? "";
        return;
      }
      waiting += text;
      read(false);
    },
    endLine() {
      read(true);
      waiting = "";
      before = "";
      code = 0;
    },
  };
}

function trimCode(text: string): string {
  return text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "" ? text.slice(1, -1) : text;
}
