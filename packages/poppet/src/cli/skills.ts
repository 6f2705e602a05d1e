/** `skills`: what is there, what a session would get of it, and what is wrong with it. */
import { cleanLine, cleanText } from "../clean.ts";
import { printFindings } from "./findings.ts";
import { printJson } from "./print.ts";
import type { Program } from "./program.ts";
import { brokenCell, table } from "./render/table.ts";

export async function listSkills(this: Program, flags: { readonly json: boolean }): Promise<void> {
  const library = await this.parts.library(await this.config());
  const skills = await library.listSkills();
  const terminal = await this.terminal();
  if (flags.json || !terminal.stdout) return printJson(this, JSON.stringify({ skills }));
  const rows = skills.map(({ name, project, description, path, fault }) => [
    name,
    project === null ? "" : `in ${project}`,
    fault === null ? (description ?? "") : brokenCell(path, fault),
  ]);
  this.stdout.write(rows.length > 0 ? table(rows, terminal.columns()) : "No skills yet: see docs/skills.md.\n");
}

export async function showSkill(
  this: Program,
  flags: { readonly json: boolean; readonly project?: string },
  name: string,
): Promise<void> {
  const library = await this.parts.library(await this.config());
  const skill = await library.showSkill(name, flags.project ?? null);
  const terminal = await this.terminal();
  if (flags.json || !terminal.stdout) return printJson(this, JSON.stringify({ skill }, null, 2));
  const facts = [
    ["name", skill.name],
    ["description", skill.description],
    ["license", skill.license],
    ["compatibility", skill.compatibility],
    ["project", skill.project],
    ["file", skill.path],
  ] as const;
  for (const [fact, value] of facts) if (value !== null) this.stdout.write(`${fact}: ${cleanLine(value)}\n`);
  this.stdout.write(`\n${cleanText(skill.text)}\n`);
}

export async function checkSkills(this: Program, _flags: object, target?: string): Promise<void> {
  const library = await this.parts.library(await this.config());
  const findings = await library.checkSkills(target ?? null);
  if (findings.length === 0) this.stdout.write("No skills yet: see docs/skills.md.\n");
  await printFindings(this, findings);
}
