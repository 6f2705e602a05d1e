/** `skills`: what is there, what a session would get of it, and what is wrong with it. */
import { cleanLine, cleanText } from "../clean.ts";
import { folderOf } from "../config/location.ts";
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
  this.stdout.write(rows.length > 0 ? table(rows, terminal.columns()) : await none(this));
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
    ["allowed-tools", skill.allowedTools.join(" ") || null],
    ...Object.entries(skill.metadata).map(([name, value]) => [`metadata.${name}`, value] as const),
    ["project", skill.project],
    ["file", skill.path],
  ] as const;
  for (const [fact, value] of facts) if (value !== null) this.stdout.write(`${cleanLine(fact)}: ${cleanLine(value)}\n`);
  this.stdout.write(`\n${cleanText(skill.text)}\n`);
}

export async function checkSkills(this: Program, _flags: object, target?: string): Promise<void> {
  const library = await this.parts.library(await this.config());
  const findings = await library.checkSkills(target ?? null);
  if (findings.length === 0) this.stdout.write(await none(this));
  await printFindings(this, findings);
}

async function none(program: Program): Promise<string> {
  return `No skills yet. A skill is a folder with a SKILL.md in ${cleanLine(folderOf((await program.config()).file))}/skills.\n`;
}
