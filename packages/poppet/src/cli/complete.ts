/**
 * The hidden `__complete WORD…`: what the last word can be completed to, one line each, with a description after a tab.
 * The shells' scripts call it. It is silent about everything that goes wrong.
 */
import { type Application, proposeCompletions } from "@stricli/core";
import { cleanLine } from "../clean.ts";
import { normalizeArguments } from "./arguments.ts";
import type { Program } from "./program.ts";

const mostSessions = 50;

export async function complete(
  application: Application<Program>,
  words: readonly string[],
  program: Program,
): Promise<void> {
  const given = words[0] === "--" ? words.slice(1) : words;
  const partial = given.at(-1) ?? "";
  try {
    const proposals = await proposeCompletions(
      application,
      [...normalizeArguments(given.slice(0, -1)), partial],
      program,
    );
    for (const { completion, brief } of proposals) {
      // The parser's end of flags is no word that anybody looks for.
      if (completion === "--" || !completion.startsWith(partial)) continue;
      program.stdout.write(`${cleanLine(completion)}\t${cleanLine(brief)}\n`);
    }
  } catch {
    // nothing to propose
  }
}

export async function sessionIds(program: Program, partial: string): Promise<readonly string[]> {
  // Who presses TAB does not ask for a data folder.
  if (!(await program.parts.hasDatabase(await program.config()))) return [];
  const assistant = await program.openAssistant();
  try {
    const sessions =
      partial === ""
        ? await assistant.sessions({ limit: mostSessions })
        : await assistant.sessionsBeginning(partial, mostSessions);
    return sessions.map((session) => session.id);
  } finally {
    await assistant.close();
  }
}

export async function skillNames(program: Program): Promise<readonly string[]> {
  return (await program.parts.library(await program.config())).names().skills;
}

export async function projectNames(program: Program): Promise<readonly string[]> {
  return (await program.parts.library(await program.config())).names().projects;
}

export async function localModels(program: Program): Promise<readonly string[]> {
  const models = await program.parts.listModels("local", await program.config(), program.env);
  return models.filter((model) => model.local?.installed === false).map((model) => model.model);
}
