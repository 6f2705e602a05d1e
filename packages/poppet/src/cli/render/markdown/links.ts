/** Links and images: where one ends in the text, and which addresses a terminal may be given. */
import { cleanLine } from "../../../clean.ts";
import { decodeEntities } from "./entities.ts";

export interface Link {
  /** Of the whole construct. */
  readonly length: number;
  readonly label: string;
  readonly target: string;
}

const deepest = 4;

/** The `[label](target "title")` that `text` begins with; null where there is none, undefined where more is needed. */
export function linkAt(text: string): Link | null | undefined {
  const close = labelEnd(text);
  if (close === null || close === undefined) return close;
  const after = text[close + 1];
  if (after === undefined) return undefined;
  if (after !== "(") return null;
  const rest = text.slice(close + 2);
  const target = targetAt(rest);
  if (target === null || target === undefined) return target;
  const closing = /^\s*(?:\s(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^()]*\))\s*)?\)/.exec(rest.slice(target.length));
  if (closing === null) return maybeClosing.test(rest.slice(target.length)) ? undefined : null;
  return {
    length: close + 2 + target.length + closing[0].length,
    label: text.slice(1, close),
    target: decodeEntities(target.text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")),
  };
}

const maybeClosing = /^\s*(?:\s(?:"(?:[^"\\]|\\.)*(?:"\s*|\\)?|'(?:[^'\\]|\\.)*(?:'\s*|\\)?|\([^()]*(?:\)\s*)?))?$/;

function labelEnd(text: string): number | null | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (unit === "\\") at++;
    else if (unit === "[" && ++depth > deepest) return null;
    else if (unit === "]" && --depth === 0) return at;
  }
  return undefined;
}

function targetAt(text: string): { readonly length: number; readonly text: string } | null | undefined {
  const blank = /^\s*/.exec(text)?.[0].length ?? 0;
  if (text[blank] === undefined) return undefined;
  if (text[blank] === "<") {
    const angled = /^<((?:[^<>\\]|\\.)*)>/.exec(text.slice(blank));
    if (angled !== null) return { length: blank + angled[0].length, text: angled[1] ?? "" };
    return /^<(?:[^<>\\]|\\.)*\\?$/.test(text.slice(blank)) ? undefined : null;
  }
  let depth = 0;
  for (let at = blank; at < text.length; at++) {
    const unit = text[at] ?? "";
    if (unit === "\\") at++;
    else if (unit === "(" && ++depth > deepest) return null;
    else if (/\s/.test(unit) || (unit === ")" && depth-- === 0)) return { length: at, text: text.slice(blank, at) };
  }
  return undefined;
}

/** What may follow a link's text as an address: one printable line. */
export function shownTarget(target: string): string {
  return safeAddress(target) ?? cleanLine(target).replaceAll(/\p{Cf}/gu, "");
}

const longestAddress = 2048;

/**
 * For a terminal that opens what is clicked: http, https and mailto only, as printable ASCII, with a host in another
 * script spelled out; null for all else.
 */
export function safeAddress(target: string): string | null {
  const text = target.trim();
  if (text.length > longestAddress || !/^(?:https?:\/\/|mailto:)/i.test(text) || !URL.canParse(text)) return null;
  const { href } = new URL(text);
  return /^[\x21-\x7e]+$/.test(href) && href.length <= longestAddress ? href : null;
}

/** The text names a host, and it is not the one that the link goes to. */
export function misleads(label: string, address: string): boolean {
  const named = /^\s*(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?:[/:?#\s]|$)/iu.exec(label)?.[1];
  if (named === undefined || !URL.canParse(`http://${named}`)) return false;
  const bare = (host: string) => host.toLowerCase().replace(/^www\./, "");
  return bare(new URL(`http://${named}`).hostname) !== bare(new URL(address).hostname);
}

const bare = /^https?:\/\/[^\s<>`"|\u3000-\u303f\uff00-\uff60]*/i;
const bareBegun = /^h(?:t(?:t(?:p(?:s(?::(?:\/)?)?|:(?:\/)?)?)?)?)?$/i;

/** The bare address that `text` begins with, without the punctuation behind it. */
export function bareAddressAt(text: string, ended: boolean): string | null | undefined {
  const found = bare.exec(text)?.[0];
  if (found === undefined) return bareBegun.test(text) && !ended ? undefined : null;
  if (found.length > longestAddress) return null;
  if (found.length === text.length && !ended) return undefined;
  const address = withoutTail(found);
  return safeAddress(address) === null ? null : address;
}

function withoutTail(found: string): string {
  let end = found.length;
  let open = 0;
  for (const unit of found) open += unit === "(" ? 1 : unit === ")" ? -1 : 0;
  for (;;) {
    const last = found[end - 1] ?? "";
    if (last === ")" && open < 0) open++;
    else if (!/[.,;:!?'*_~\]]/.test(last)) return found.slice(0, end);
    end--;
  }
}

const angled = /^<((?:https?:\/\/|mailto:)[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>/i;

export const longestAngled = 1024;

/** The `<address>` that `text` begins with. */
export function angledAddressAt(text: string, ended: boolean): Link | null | undefined {
  const found = angled.exec(text);
  if (found === null)
    return !ended && text.length < longestAngled && /^<(?:[A-Za-z\d][^\s<>]*)?$/.test(text) ? undefined : null;
  const label = found[1] ?? "";
  const target = /^(?:https?:|mailto:)/i.test(label) ? label : `mailto:${label}`;
  return safeAddress(target) === null ? null : { length: found[0].length, label, target };
}
