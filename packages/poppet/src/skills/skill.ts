/** A skill: a folder with a `SKILL.md`, whose front matter says what it is for and whose text is its instructions. */
import { PoppetError } from "../error.ts";
import { isName, lineAt, type NamedFolder, nameRule, readWithin } from "../named-folder.ts";
import type { Field } from "./front-matter.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly metadata: { readonly [name: string]: string };
  /** Shown and no more: no skill changes what a run may do. */
  readonly allowedTools: readonly string[];
  /** The `SKILL.md`. */
  readonly path: string;
  /** The instructions: what stands after the front matter. */
  readonly text: string;
  /** One line for each field that the format does not have. */
  readonly notes: readonly string[];
}

export const skillFile = "SKILL.md";
export const mostSkillBytes = 262_144;
const mostFrontMatterBytes = 16_384;

/** PoppetError `skill_invalid`, naming the file and the line. */
export async function readSkill(place: NamedFolder): Promise<Skill> {
  const { path, text } = readWithin(place, skillFile, mostSkillBytes, "skill_invalid");
  const broken = (wrong: string, line: number) =>
    new PoppetError("skill_invalid", `${path}:${line}: ${wrong}`, { exitCode: 2 });
  const opening = /^---[ \t]*\n/.exec(text)?.[0];
  if (opening === undefined) throw broken("must begin with front matter between two lines of ---", 1);
  const rest = text.slice(opening.length);
  const closing = /^---[ \t]*$/m.exec(rest);
  if (closing === null) throw broken("the front matter has no closing line of ---", lineAt(text, text.length));
  const yaml = rest.slice(0, closing.index);
  if (Buffer.byteLength(yaml) > mostFrontMatterBytes) {
    throw broken(`the front matter is larger than ${mostFrontMatterBytes} bytes`, 1);
  }
  const { readFrontMatter } = await import("./front-matter.ts");
  // It begins on the file's second line.
  const { fields, unknown } = readFrontMatter(yaml, (wrong, line) => broken(wrong, line + 1));
  const name = required("name", fields.name, broken);
  const folder = place.folder.slice(place.folder.lastIndexOf("/") + 1);
  if (!isName(name.text)) throw broken(`name must be ${nameRule}`, name.line);
  if (name.text !== folder) throw broken(`name must be the folder's, ${JSON.stringify(folder)}`, name.line);
  const description = required("description", fields.description, broken);
  limit("description", description, 1024, broken);
  const compatibility = optional("compatibility", fields.compatibility, broken);
  if (compatibility !== null) limit("compatibility", compatibility, 500, broken);
  const instructions = rest.slice(closing.index + closing[0].length).trim();
  if (instructions === "") throw broken("has no instructions after the front matter", lineAt(text, text.length));
  return {
    name: name.text,
    description: description.text,
    license: optional("license", fields.license, broken)?.text ?? null,
    compatibility: compatibility?.text ?? null,
    metadata: Object.fromEntries(fields.metadata?.value instanceof Map ? fields.metadata.value : []),
    allowedTools: toolNames(fields["allowed-tools"]),
    path,
    text: instructions,
    notes: unknown.map(
      ({ field, line, hint }) =>
        `${path}:${line + 1}: ${JSON.stringify(field)} is no field of the format and changes nothing${hint}`,
    ),
  };
}

type Broken = (wrong: string, line: number) => PoppetError;

interface TextField {
  readonly text: string;
  readonly line: number;
}

function required(name: string, field: Field | undefined, broken: Broken): TextField {
  const text = optional(name, field, broken);
  if (text === null) throw broken(`${name} is missing`, 1);
  return text;
}

function optional(name: string, field: Field | undefined, broken: Broken): TextField | null {
  if (field === undefined) return null;
  const line = field.line + 1;
  const text = typeof field.value === "string" ? field.value.trim() : "";
  if (text === "") throw broken(`${name} is empty`, line);
  return { text, line };
}

function toolNames(field: Field | undefined): readonly string[] {
  if (field === undefined || field.value instanceof Map) return [];
  return typeof field.value === "string" ? field.value.split(/\s+/).filter(Boolean) : [...field.value.values()];
}

function limit(name: string, { text, line }: TextField, most: number, broken: Broken): void {
  const length = [...text].length;
  if (length > most) throw broken(`${name} is longer than ${most} characters by ${length - most}`, line);
}
