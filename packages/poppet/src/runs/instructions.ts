/**
 * What every request tells the model about its task: who it is, and the saved instructions of the session's project and
 * skill. They are words to follow and no more: which tools a run has is settled elsewhere.
 */
import { utf8Length } from "@poppet/chat";
import type { SavedProject, SavedSkill, Workload } from "../assistant.ts";
import { PoppetError } from "../error.ts";

// Plain on purpose: a model of 135 million parameters loses its way with more.
const general = "You are a helpful AI assistant named Poppet";
const coding = `${general}. The conversation is about software: give working code, name the files it belongs in, and keep explanations short.`;

export interface Copies {
  readonly skill: SavedSkill | null;
  readonly project: SavedProject | null;
}

export function instructionsFor({ workload, skill, project }: Copies & { readonly workload: Workload }): string {
  const parts = [workload === "coding" ? coding : general];
  if (project !== null) parts.push(block("project", project.name, project.instructions));
  if (skill !== null) parts.push(block("skill", skill.name, skill.text));
  return parts.join("\n\n");
}

/** The tag is one that the text does not close, so that it is plain where the instructions end. */
function block(kind: "project" | "skill", name: string, text: string): string {
  const lower = text.toLowerCase();
  let tag: string = kind;
  for (let n = 2; lower.includes(`</${tag}`); n++) tag = `${kind}-${n}`;
  return `Follow the instructions of the ${kind} "${name}":\n<${tag}>\n${text}\n</${tag}>`;
}

/** Instructions are never cut: where they alone are more than a request may have, PoppetError says by how much. */
export function refuseUnfitting(
  system: string,
  { skill, project }: Copies,
  budget: { readonly bytes: number; readonly tokens: number | null },
  options: { exitCode?: 2 } = {},
): void {
  if (skill === null && project === null) return;
  const bytes = utf8Length(system);
  const over = (actual: number, limit: number, unit: string, instead: string) => {
    if (actual <= limit) return;
    const whose = [project && `project "${project.name}"`, skill && `skill "${skill.name}"`].filter(Boolean);
    throw new PoppetError(
      "instructions_too_large",
      `The instructions of ${whose.join(" and ")} are too large for the model's context by ${actual - limit} ${unit} (${actual} of at most ${limit}). Shorten them, or ${instead}.`,
      options,
    );
  };
  over(bytes, budget.bytes, "bytes", "raise limits.contextBytes");
  if (budget.tokens !== null) over(Math.ceil(bytes / 3), budget.tokens, "tokens", "choose a model that takes more");
}
