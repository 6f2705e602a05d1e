/**
 * One of a list: by arrows, by number where the list is short, by typing a part of the name where it is long. Where a name
 * of one's own is allowed, what is typed can be taken as it is.
 */

import { cutWidth } from "../graphemes.ts";
import type { Key } from "../keyboard/keys.ts";
import { answered, fitted, openBlock, type Styles, stylesOf, wrapped } from "./block.ts";
import { edited } from "./edit.ts";
import { matching, type Option, type Question } from "./options.ts";
import { selectPlainly } from "./plain.ts";
import type { Asking } from "./terminal.ts";

/** Lists up to here have numbers. */
const numbered = 9;
const mostRows = 12;

/** Null: back. */
export async function select<Value>(asking: Asking, question: Question<Value>): Promise<Value | null> {
  if (!asking.moving) return selectPlainly(asking, question);
  const list = openList(question);
  const block = openBlock(asking, "hidden");
  const draw = () => block.draw(linesOf(asking, question, list));
  const stop = asking.onRedraw((fresh) => {
    if (fresh) block.forget();
    draw();
  });
  try {
    draw();
    for (;;) {
      const key = await asking.key();
      if (key.name === "end-of-input") throw asking.leave(0);
      if (key.name === "escape" && list.typed() === "" && question.back) {
        block.end([answered(asking, question.title, "back")]);
        return null;
      }
      if (key.name === "enter") {
        const chosen = list.chosen();
        if (chosen === undefined) continue;
        block.end([answered(asking, question.title, chosen.label)]);
        return chosen.value;
      }
      list.press(key, rowsFor(asking));
      draw();
    }
  } catch (thrown) {
    block.end([answered(asking, question.title, "")]);
    throw thrown;
  } finally {
    stop();
  }
}

interface List<Value> {
  typed(): string;
  at(): number;
  shown(): readonly Option<Value>[];
  chosen(): Option<Value> | undefined;
  press(key: Key, page: number): void;
}

function openList<Value>({ options, selected = 0, own }: Question<Value>): List<Value> {
  const filters = options.length > numbered || own !== undefined;
  let typed = "";
  let at = selected;
  let shown = options;

  function filter(text: string): void {
    if (text === typed) return;
    typed = text;
    shown = matching(options, typed);
    const value = typed.trim() === "" ? null : (own?.(typed.trim()) ?? null);
    const known = options.some((option) => option.label === typed.trim());
    if (value !== null && !known) shown = [...shown, { label: typed.trim(), detail: "as typed", value }];
    at = typed === "" ? selected : 0;
  }

  return {
    typed: () => typed,
    at: () => at,
    shown: () => shown,
    chosen: () => shown[at],
    press(key, page) {
      const last = Math.max(0, shown.length - 1);
      if (key.name === "up") at = at === 0 ? last : at - 1;
      else if (key.name === "down") at = at === last ? 0 : at + 1;
      else if (key.name === "home") at = 0;
      else if (key.name === "end") at = last;
      else if (key.name === "page-up") at = Math.max(0, at - page);
      else if (key.name === "page-down") at = Math.min(last, at + page);
      else if (key.name === "escape") filter("");
      else if (filters) filter(edited(typed, key));
      else if (key.name === "text") at = numberedAt(key.text, last) ?? at;
    },
  };
}

/** Of digits that come together the last counts, and of those only what the list has. */
function numberedAt(text: string, last: number): number | null {
  const digits = [...text].map(Number).filter((digit) => digit >= 1 && digit <= last + 1);
  const [digit] = digits.slice(-1);
  return digit === undefined ? null : digit - 1;
}

function linesOf<Value>(asking: Asking, question: Question<Value>, list: List<Value>): readonly string[] {
  const styles = stylesOf(asking);
  const { options, own } = question;
  const shown = list.shown();
  const rows = rowsFor(asking);
  const first = Math.min(Math.max(0, list.at() - Math.floor(rows / 2)), Math.max(0, shown.length - rows));
  const window = shown.slice(first, first + rows);
  const filters = options.length > numbered || own !== undefined;
  const width = Math.max(0, ...window.map(({ label }) => Bun.stringWidth(label)));
  const lines = window.map((option, i) => {
    const number = filters ? "" : `${first + i + 1}  `;
    return optionLine(asking, styles, option, { number, width, here: first + i === list.at() });
  });
  if (shown.length === 0) lines.push(styles.dim(fitted(asking, "  none has this in its name")));
  const more = shown.length > rows ? [`${list.at() + 1} of ${shown.length}`] : [];
  const move = filters
    ? `arrows, or type a part${own === undefined ? "" : " or a name of your own"}`
    : "arrows or a number";
  const keys = [...more, move, "Enter", ...(question.back ? ["Esc: back"] : [])].join("; ");
  const title = wrapped(asking, question.title).map(styles.bold);
  const typed = list.typed() === "" ? [] : [fitted(asking, `  filter: ${list.typed()}`)];
  return [...title, ...typed, ...lines, ...wrapped(asking, keys).map(styles.dim)];
}

function optionLine<Value>(
  asking: Asking,
  styles: Styles,
  { label, detail = "" }: Option<Value>,
  { number, width, here }: { readonly number: string; readonly width: number; readonly here: boolean },
): string {
  const columns = asking.columns() - 1;
  const padded = label + " ".repeat(Math.max(0, width - Bun.stringWidth(label)));
  const aligned = Bun.stringWidth(`  ${number}${padded}  `) + 8 <= columns;
  const front = `${here ? ">" : " "} ${number}${aligned && detail !== "" ? padded : label}`;
  const room = columns - Bun.stringWidth(front) - 2;
  const shown = fitted(asking, front);
  const rest = detail === "" || room < 4 ? "" : `  ${styles.dim(cutWidth(detail, room))}`;
  return (here ? styles.chosen(shown) : shown) + rest;
}

function rowsFor(asking: Asking): number {
  return Math.max(3, Math.min(mostRows, asking.rows() - 6));
}
