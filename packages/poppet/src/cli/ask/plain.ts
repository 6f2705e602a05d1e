/**
 * The same questions where the cursor cannot be moved (`TERM=dumb`): a list with numbers, an answer typed as a line. The
 * line is echoed here, so that a secret need not be.
 */
import { cutWidth } from "../graphemes.ts";
import { edited } from "./edit.ts";
import { matching, type Option, type Question } from "./options.ts";
import type { Asking } from "./terminal.ts";

const mostListed = 20;

export async function selectPlainly<Value>(asking: Asking, question: Question<Value>): Promise<Value | null> {
  const { title, options, selected = 0, own, back } = question;
  let shown = options;
  for (;;) {
    asking.write(`${title}\n${listed(asking, shown)}`);
    const first = shown === options ? selected : 0;
    const typed = (
      await readPlainLine(asking, `Number${back ? ", or b for back" : ""} [${first + 1}]: `, "shown")
    ).trim();
    if (typed === "b" && back) return null;
    const chosen =
      typed === "" ? shown[first] : (byNumber(shown, typed) ?? options.find(({ label }) => label === typed));
    if (chosen !== undefined) return chosen.value;
    const found = matching(options, typed);
    const value = found.length === 0 ? (own?.(typed) ?? null) : null;
    if (value !== null) return value;
    if (found.length === 0) asking.write("None has this number or name.\n");
    shown = found.length === 0 ? options : found;
  }
}

export async function readPlainLine(asking: Asking, prompt: string, echo: "shown" | "hidden"): Promise<string> {
  let typed = "";
  asking.write(prompt);
  const stop = asking.onRedraw((fresh) => {
    if (fresh) asking.write(prompt + (echo === "shown" ? typed : ""));
  });
  try {
    for (;;) {
      const key = await asking.key();
      if (key.name === "end-of-input" && typed === "") throw asking.leave(0);
      if (key.name === "enter") {
        if (echo === "hidden") asking.dropKeys();
        asking.write("\n");
        return typed;
      }
      const before = typed;
      typed = edited(typed, key);
      if (echo === "hidden" || typed === before) continue;
      if (typed.startsWith(before)) asking.write(typed.slice(before.length));
      else {
        const gone = Bun.stringWidth(before) - Bun.stringWidth(typed);
        asking.write("\b \b".repeat(Math.max(0, gone)));
      }
    }
  } catch (thrown) {
    asking.write("\n");
    throw thrown;
  } finally {
    stop();
  }
}

function byNumber<Value>(shown: readonly Option<Value>[], typed: string): Option<Value> | undefined {
  return /^\d{1,4}$/.test(typed) ? shown[Number(typed) - 1] : undefined;
}

function listed<Value>(asking: Asking, shown: readonly Option<Value>[]): string {
  const columns = asking.columns() - 1;
  const lines = shown.slice(0, mostListed).map(({ label, detail = "" }, i) => {
    return cutWidth(`${String(i + 1).padStart(3)}  ${label}${detail === "" ? "" : `  (${detail})`}`, columns);
  });
  if (shown.length > mostListed) lines.push(`     and ${shown.length - mostListed} more: type a part of the name`);
  return lines.map((line) => `${line}\n`).join("");
}
