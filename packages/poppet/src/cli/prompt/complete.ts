/** What Tab makes of the line: the names of commands after `/`, their arguments, and file names after `@`. */
import { cleanLine } from "../../clean.ts";
import { type Choice, commandIn, type PromptCommand, usageOf } from "./commands.ts";
import type { Line } from "./line.ts";

/** Null where there is nothing to complete. */
export type Complete = (line: Line) => Promise<Completed | null>;

export interface Completed {
  /** Where the word begins that `text` takes the place of; it ends at the cursor. */
  readonly from: number;
  readonly text: string;
  /** To choose from, one row each; none where one fits. */
  readonly choices: readonly string[];
}

export function completer(commands: readonly PromptCommand[], home: string): Complete {
  return async ({ text, cursor }) => {
    const head = text.slice(0, cursor);
    if (/^\/\S*$/.test(head)) return among(0, head, namesOf(commands));
    const found = commandIn(head, commands);
    if (found !== null) {
      if (found.command.argument === null) return null;
      return among(cursor - found.args.length, found.args, await found.command.argument.choices(found.args));
    }
    const file = /(?:^|\s)@(\S*)$/.exec(head)?.[1];
    return file === undefined ? null : among(cursor - file.length, file, await files(file, home));
  };
}

function namesOf(commands: readonly PromptCommand[]): readonly Choice[] {
  return commands.map((command) => ({ value: `/${command.name}`, about: `${usageOf(command)}  ${command.summary}` }));
}

/** A choice may fit by what is written beside it, as a session does by its title. */
function among(from: number, partial: string, given: readonly Choice[]): Completed | null {
  const begun = given.filter(({ value }) => value.startsWith(partial));
  const wanted = partial.toLowerCase();
  const fitting = begun.length > 0 ? begun : given.filter(({ about }) => about.toLowerCase().includes(wanted));
  const [only] = fitting;
  if (only === undefined) return null;
  if (fitting.length === 1) {
    return { from, text: only.value.endsWith("/") ? only.value : `${only.value} `, choices: [] };
  }
  // Of nothing typed yet, what all have in common says nothing: two IDs may begin with the same second.
  const shared = begun.length > 0 && partial !== "" ? sharedBeginning(begun.map(({ value }) => value)) : partial;
  return {
    from,
    text: shared,
    choices: shared.length > partial.length ? [] : fitting.map(({ value, about }) => cleanLine(about || value)),
  };
}

function sharedBeginning(values: readonly string[]): string {
  const [first = "", ...rest] = values;
  let length = first.length;
  for (const value of rest) while (!value.startsWith(first.slice(0, length))) length--;
  // Half a character is none.
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** Hidden files only where the name begins with a dot. A folder ends with a slash. */
async function files(partial: string, home: string): Promise<readonly Choice[]> {
  const { readdir, stat } = await import("node:fs/promises");
  const slash = partial.lastIndexOf("/") + 1;
  const [folder, name] = [partial.slice(0, slash), partial.slice(slash)];
  const place = folder.startsWith("~/") ? home + folder.slice(1) : folder || ".";
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const choices: Choice[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.name.startsWith(name) || (entry.name.startsWith(".") && !name.startsWith("."))) continue;
    // What a line cannot hold, or would end the word, cannot be named at the prompt.
    if (cleanLine(entry.name) !== entry.name || /\s/.test(entry.name)) continue;
    const isFolder = entry.isSymbolicLink()
      ? await stat(`${place}/${entry.name}`).then(
          (status) => status.isDirectory(),
          () => false,
        )
      : entry.isDirectory();
    choices.push({ value: `${folder}${entry.name}${isFolder ? "/" : ""}`, about: "" });
  }
  return choices;
}
