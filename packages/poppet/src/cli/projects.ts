/** `projects`: what is there, what a session would get of it, and the making of a new one. */
import { cleanLine, cleanText } from "../clean.ts";
import { printJson } from "./print.ts";
import type { Program } from "./program.ts";
import { brokenCell, table } from "./render/table.ts";

export async function listProjects(this: Program, flags: { readonly json: boolean }): Promise<void> {
  const library = await this.parts.library(await this.config());
  const projects = await library.listProjects();
  const terminal = await this.terminal();
  if (flags.json || !terminal.stdout) return printJson(this, JSON.stringify({ projects }));
  const rows = projects.map(({ name, path, notes, skills, fault }) =>
    fault === null ? [name, `notes: ${named(notes)}`, `skills: ${named(skills)}`] : [name, brokenCell(path, fault)],
  );
  const none = "No projects yet. Make one with: poppet projects create NAME\n";
  this.stdout.write(rows.length > 0 ? table(rows, terminal.columns()) : none);
}

export async function showProject(this: Program, flags: { readonly json: boolean }, name: string): Promise<void> {
  const library = await this.parts.library(await this.config());
  const project = await library.showProject(name);
  const terminal = await this.terminal();
  if (flags.json || !terminal.stdout) return printJson(this, JSON.stringify({ project }, null, 2));
  const facts = [
    ["name", project.name],
    ["notes", named(project.notes)],
    ["skills", named(project.skills)],
    ["file", project.path],
    ["instructions", project.instructionsPath],
  ] as const;
  for (const [fact, value] of facts) this.stdout.write(`${fact}: ${cleanLine(value)}\n`);
  this.stdout.write(`\n${cleanText(project.instructions)}\n`);
}

export async function createProject(this: Program, _flags: object, name: string): Promise<void> {
  const library = await this.parts.library(await this.config());
  const { path, instructionsPath } = await library.createProject(name);
  const clean = (await this.terminal()).stdout ? cleanLine : (text: string) => text;
  this.stdout.write(`${clean(path)}\n${clean(instructionsPath)}\n`);
}

function named(list: readonly string[] | null): string {
  if (list === null) return "all";
  return list.length === 0 ? "none" : list.join(", ");
}
