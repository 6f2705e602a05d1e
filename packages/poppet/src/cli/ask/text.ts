/** A line of text, or a secret: of a secret only how long it is can be seen, on a terminal whose cursor moves. */

import { graphemes } from "../graphemes.ts";
import { answered, openBlock, stylesOf, wrapped } from "./block.ts";
import { edited } from "./edit.ts";
import { readPlainLine } from "./plain.ts";
import type { Asking } from "./terminal.ts";

export interface TextQuestion<Value> {
  readonly title: string;
  /** Said below the title until it is answered. */
  readonly note?: string;
  /** Enter alone answers it. */
  readonly otherwise?: string;
  /** What stays of the answer on the screen; default: as it was typed. */
  shown?(typed: string): string;
  readonly secret?: boolean;
  readonly back?: boolean;
  /** The answer, or what is wrong with it. */
  check(typed: string): { readonly value: Value } | { readonly wrong: string };
}

/** Null: back. */
export async function askText<Value>(asking: Asking, question: TextQuestion<Value>): Promise<Value | null> {
  const { title, note = "", otherwise = "", secret = false, back = false, check } = question;
  const answer = (typed: string) => check(typed.trim() === "" ? otherwise : typed.trim());
  if (!asking.moving) return askPlainly(asking, question, answer);
  const styles = stylesOf(asking);
  const block = openBlock(asking, "shown");
  let typed = "";
  let wrong = "";
  const draw = () => {
    const shown = secret ? "•".repeat(graphemes(typed).length) : typed;
    const hint = [note, otherwise && !secret ? `Enter: ${otherwise}` : "", back ? "Esc: back" : ""]
      .filter(Boolean)
      .join("; ");
    block.draw([
      ...wrapped(asking, title).map(styles.bold),
      ...(wrong === "" ? [] : wrapped(asking, wrong).map(styles.wrong)),
      ...(hint === "" ? [] : wrapped(asking, hint).map(styles.dim)),
      `> ${tail(shown, Math.max(1, asking.columns() - 4))}`,
    ]);
  };
  const end = (shown: string) => block.end([answered(asking, title, shown)]);
  const stop = asking.onRedraw((fresh) => {
    if (fresh) block.forget();
    draw();
  });
  try {
    for (;;) {
      draw();
      const key = await asking.key();
      if (key.name === "end-of-input" && typed === "") throw asking.leave(0);
      if (key.name === "escape" && back) {
        end("back");
        return null;
      }
      if (key.name !== "enter") {
        typed = edited(typed, key);
        wrong = "";
        continue;
      }
      if (secret) asking.dropKeys();
      const checked = answer(typed);
      if ("value" in checked) {
        end(shownOf(question, typed.trim()));
        return checked.value;
      }
      wrong = checked.wrong;
      if (secret) typed = "";
    }
  } catch (thrown) {
    end("");
    throw thrown;
  } finally {
    stop();
  }
}

function shownOf<Value>({ secret, otherwise = "", shown }: TextQuestion<Value>, typed: string): string {
  if (secret) return typed === "" ? "none" : "•••";
  return shown === undefined ? typed || otherwise : shown(typed);
}

async function askPlainly<Value>(
  asking: Asking,
  { title, note = "", otherwise = "", secret = false }: TextQuestion<Value>,
  answer: (typed: string) => { readonly value: Value } | { readonly wrong: string },
): Promise<Value> {
  if (note !== "") asking.write(`${note}\n`);
  for (;;) {
    const hint = otherwise === "" || secret ? "" : ` [${otherwise}]`;
    const checked = answer(await readPlainLine(asking, `${title}${hint}: `, secret ? "hidden" : "shown"));
    if ("value" in checked) return checked.value;
    asking.write(`${checked.wrong}\n`);
  }
}

/** Yes unless the answer is no. */
export async function askYes(asking: Asking, title: string): Promise<boolean> {
  const answer = await askText(asking, {
    title: `${title} [Y/n]`,
    shown: (typed) => (/^n/i.test(typed) ? "no" : "yes"),
    check(typed) {
      if (/^(|y|yes)$/i.test(typed)) return { value: "yes" };
      return /^(n|no)$/i.test(typed) ? { value: "no" } : { wrong: "y or n" };
    },
  });
  return answer === "yes";
}

/** The end of it that has room. */
function tail(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  const all = [...graphemes(text)];
  while (all.length > 0 && Bun.stringWidth(all.join("")) > width - 1) all.shift();
  return `…${all.join("")}`;
}
