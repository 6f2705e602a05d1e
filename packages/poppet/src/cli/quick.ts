/**
 * The everyday commands in their plain form, without the parser, which takes longer to load than they take to run. Only
 * arguments that can mean one thing are recognised; everything else (a dash in front, too many, too few) goes the long
 * way, which gives the same meaning to what is recognised here.
 */
import { defaultListLimit } from "./arguments.ts";
import type { Program } from "./program.ts";

export type Command = (program: Program) => Promise<void>;

export function plainCommand(given: readonly string[], version: string): Command | null {
  const [group, verb, ...words] = given;
  if (given.length === 1 && /^(-v|--?version)$/.test(given[0] ?? "")) {
    return async (program) => program.stdout.write(`${version}\n`);
  }
  if (group !== "chat") return null;
  if (verb === "sessions" && (words.length === 0 || (words.length === 1 && words[0] === "--json"))) {
    const flags = { json: words.length > 0, limit: defaultListLimit };
    return async (program) => (await import("./chat/sessions.ts")).chatSessions.call(program, flags);
  }
  const [first, second] = words;
  if (first === undefined || words.some((word) => word.startsWith("-"))) return null;
  if (words.length === 1) return oneWord(verb, first);
  if (verb !== "send" || second === undefined || words.length > 2) return null;
  return async (program) => (await import("./chat/send.ts")).chatSend.call(program, {}, first, second);
}

function oneWord(verb: string | undefined, word: string): Command | null {
  switch (verb) {
    case "new":
      return async (program) => (await import("./chat/new.ts")).chatNew.call(program, { coding: false }, word);
    case "show":
      return async (program) => (await import("./chat/show.ts")).chatShow.call(program, {}, word);
    case "search":
      return async (program) => (await import("./chat/search.ts")).chatSearch.call(program, {}, word);
    default:
      return null;
  }
}
