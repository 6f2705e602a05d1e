/** A project: a folder with a `project.toml` and the file of its instructions, with notes and skills that it selects. */
import { cutCodePoints } from "@poppet/chat";
import { checkedToml } from "../config/load.ts";
import { type Rule, type Table, table } from "../config/table.ts";
import { PoppetError } from "../error.ts";
import { isName, isThere, lineAt, type NamedFolder, nameRule, namesIn, readWithin } from "../named-folder.ts";
import { hint } from "../nearest.ts";

export interface Project {
  readonly name: string;
  /** The `project.toml`. */
  readonly path: string;
  readonly instructions: string;
  /** The file that has them. */
  readonly instructionsPath: string;
  /** Names and globs in the folder of notes; null where it selects none, so that all are its notes. */
  readonly notes: readonly string[] | null;
  /** The only skills that go with it; null where any do. */
  readonly skills: readonly string[] | null;
}

export const mostInstructionBytes = 262_144;
const mostTomlBytes = 65_536;
const mostListed = 1000;

interface Written {
  readonly name?: string;
  readonly instructions?: string;
  readonly notes?: readonly string[];
  readonly skills?: readonly string[];
}

const projectTable: Table = table({
  name: { kind: "value", allowed: `the name of the project's folder: ${nameRule}`, check: isNameValue },
  instructions: {
    kind: "value",
    allowed: 'a file in the project\'s folder, such as "instructions.md": no absolute path, no .. and no \\',
    check: isPathBelow,
  },
  notes: list(
    'names or globs in the folder of notes, such as "acorn/*.md": no absolute path, no .. and no \\',
    isPathBelow,
  ),
  skills: list(`names of skills: ${nameRule}`, isNameValue),
});

export function projectsFolder(settingsFolder: string): string {
  return `${settingsFolder}/projects`;
}

export function projectNames(settingsFolder: string): readonly string[] {
  return namesIn(projectsFolder(settingsFolder), "project_invalid");
}

/** PoppetError `project_unknown` names the nearest. */
export function findProject(settingsFolder: string, name: string): NamedFolder {
  const place = { base: projectsFolder(settingsFolder), folder: checkedName(name) };
  if (isThere(place)) return place;
  const near = hint(name, projectNames(settingsFolder));
  throw unknown(`No project "${name}"${near || `; \`poppet projects create ${name}\` makes it.`}`);
}

export function checkedName(name: string): string {
  if (isName(name)) return name;
  throw unknown(`${JSON.stringify(cutCodePoints(name, 80))} is no project's name: one is ${nameRule}`);
}

/** PoppetError `project_invalid`, naming the file and the line. */
export async function readProject(place: NamedFolder): Promise<Project> {
  const { path, text } = readWithin(place, "project.toml", mostTomlBytes, "project_invalid");
  const written: Written = await checkedToml({ file: path, text, code: "project_invalid" }, projectTable);
  const { name = missing(path, "name"), instructions: file = missing(path, "instructions") } = written;
  if (name !== place.folder) {
    throw invalid(path, lineOfKey(text, "name"), `name must be the folder's, ${JSON.stringify(place.folder)}`);
  }
  const instructions = readWithin(place, file, mostInstructionBytes, "project_invalid");
  if (instructions.text.trim() === "") throw invalid(instructions.path, 1, "has no instructions");
  return {
    name,
    path,
    instructions: instructions.text.trim(),
    instructionsPath: instructions.path,
    notes: written.notes ?? null,
    skills: written.skills ?? null,
  };
}

function missing(path: string, key: string): never {
  throw invalid(path, 1, `${key} is missing`);
}

function invalid(path: string, line: number, wrong: string): PoppetError {
  return new PoppetError("project_invalid", `${path}:${line}: ${wrong}`, { exitCode: 2 });
}

function unknown(message: string): PoppetError {
  return new PoppetError("project_unknown", message, { exitCode: 2 });
}

function lineOfKey(text: string, key: string): number {
  return lineAt(text, Math.max(0, text.search(new RegExp(`^[ \\t]*["']?${key}["']?[ \\t]*=`, "m"))));
}

function list(what: string, check: (value: unknown) => boolean): Rule {
  return {
    kind: "value",
    allowed: `a list of at most ${mostListed} ${what}`,
    check: (value) => Array.isArray(value) && value.length <= mostListed && value.every(check),
    each: check,
  };
}

function isNameValue(value: unknown): boolean {
  return typeof value === "string" && isName(value);
}

/** Relative, and by its form within its folder; what links make of it is seen when it is read. */
function isPathBelow(value: unknown): boolean {
  if (typeof value !== "string" || value.length > 256 || !/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]+$/u.test(value))
    return false;
  return value.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
