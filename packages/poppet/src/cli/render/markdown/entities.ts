/** Character references of HTML: the numbers, and the names that models write. What they decode to is cleaned. */
import { cleanText } from "../../../clean.ts";

const names: { readonly [name: string]: string } = {
  amp: "&",
  apos: "'",
  asymp: "≈",
  bull: "•",
  cent: "¢",
  copy: "©",
  darr: "↓",
  deg: "°",
  divide: "÷",
  euro: "€",
  ge: "≥",
  gt: ">",
  harr: "↔",
  hellip: "…",
  infin: "∞",
  laquo: "«",
  larr: "←",
  ldquo: "“",
  le: "≤",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  middot: "·",
  minus: "−",
  nbsp: "\u00a0",
  ndash: "–",
  ne: "≠",
  para: "¶",
  plusmn: "±",
  pound: "£",
  quot: '"',
  raquo: "»",
  rarr: "→",
  rdquo: "”",
  reg: "®",
  rsquo: "’",
  sect: "§",
  times: "×",
  trade: "™",
  uarr: "↑",
  yen: "¥",
};

const longestName = 12;
const whole = /^&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]{1,12}));/;
const begun = /^&(?:#(?:\d{0,7}|[xX][\da-fA-F]{0,6})|[A-Za-z]*)$/;

/** The reference that `text` begins with; null where there is none, undefined where more text is needed. */
export function entityAt(text: string): { readonly length: number; readonly text: string } | null | undefined {
  const found = whole.exec(text);
  if (found === null) return text.length <= longestName && begun.test(text) ? undefined : null;
  const [reference, decimal, hex, name] = found;
  const decoded =
    name === undefined ? fromNumber(decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16)) : own(name);
  return decoded === null ? null : { length: reference.length, text: decoded };
}

export function decodeEntities(text: string): string {
  return text.replaceAll(/&[^;\s]{1,10};/g, (reference) => entityAt(reference)?.text ?? reference);
}

function own(name: string): string | null {
  return Object.hasOwn(names, name) ? (names[name] ?? null) : null;
}

/** A number that stands for what would steer the terminal stays as it was written. */
function fromNumber(number: number): string | null {
  if (number === 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) return null;
  const text = String.fromCodePoint(number);
  return text === "\n" || text === "\t" || cleanText(text) !== text ? null : text;
}
