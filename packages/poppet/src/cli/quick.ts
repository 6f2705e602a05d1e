/**
 * The everyday commands in their plain form, without the parser, which takes longer to load than they take to run. Only
 * arguments that can mean one thing are recognised; everything else (a dash in front, too many, too few) goes the long
 * way, which gives the same meaning to what is recognised here.
 */
import { defaultListLimit } from "./arguments.ts";
import type { Program } from "./program.ts";

export type Command = (program: Program) => Promise<void>;

interface Plain {
  /** How many words it takes. */
  readonly least: number;
  readonly most: number;
  run(program: Program, ...words: string[]): Promise<void>;
}

const top: { readonly [verb: string]: Plain } = {
  show: {
    ...{ least: 1, most: 1 },
    run: async (program, id: string) => (await import("./chat/show.ts")).chatShow.call(program, { text: true }, id),
  },
};

const chat: { readonly [verb: string]: Plain } = {
  new: {
    ...{ least: 1, most: 1 },
    run: async (program, text: string) =>
      (await import("./chat/new.ts")).chatNew.call(program, { coding: false }, text),
  },
  send: {
    ...{ least: 2, most: 2 },
    run: async (program, id: string, text: string) =>
      (await import("./chat/send.ts")).chatSend.call(program, {}, id, text),
  },
  interactive: {
    ...{ least: 0, most: 1 },
    async run(program, id?: string) {
      // Read while the prompt is loaded; who needs it is told of a failure.
      program.config().catch(() => undefined);
      await (await import("./chat/interactive.ts")).chatInteractive.call(program, { coding: false }, id);
    },
  },
  continue: {
    ...{ least: 0, most: 1 },
    run: async (program, text?: string) => (await import("./chat/continue.ts")).chatContinue.call(program, {}, text),
  },
  show: {
    ...{ least: 1, most: 1 },
    run: async (program, id: string) => (await import("./chat/show.ts")).chatShow.call(program, { text: false }, id),
  },
  search: {
    ...{ least: 1, most: 1 },
    run: async (program, query: string) =>
      (await import("./chat/search.ts")).chatSearch.call(program, { json: false }, query),
  },
};

export function plainCommand(given: readonly string[], version: string): Command | null {
  if (given.length === 1 && /^(-v|--?version)$/.test(given[0] ?? "")) {
    return async (program) => program.stdout.write(`${version}\n`);
  }
  const [commands, verb = "", ...words] = given[0] === "chat" ? [chat, ...given.slice(1)] : [top, ...given];
  if (verb === "sessions") return list(words);
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command === undefined || words.length < command.least || words.length > command.most) return null;
  return words.some((word) => word.startsWith("-")) ? null : (program) => command.run(program, ...words);
}

function list(words: readonly string[]): Command | null {
  if (words.length > 1 || (words.length === 1 && words[0] !== "--json")) return null;
  const flags = { json: words.length > 0, limit: defaultListLimit };
  return async (program) => (await import("./chat/sessions.ts")).chatSessions.call(program, flags);
}
