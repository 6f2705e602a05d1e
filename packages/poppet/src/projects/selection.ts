/** What a new session gets of the skill and the project that it names: the copies that it keeps. */

import { cutCodePoints } from "@poppet/chat";
import type { SavedProject, SavedSkill, Selection } from "../assistant.ts";
import { PoppetError } from "../error.ts";
import type { NamedFolder } from "../named-folder.ts";
import { hint } from "../nearest.ts";
import { findSkill } from "../skills/find.ts";
import { readSkill } from "../skills/skill.ts";
import { findProject, type Project, readProject } from "./project.ts";

export async function readSelection(
  settingsFolder: string,
  selection: Selection,
): Promise<{ readonly skill: SavedSkill | null; readonly project: SavedProject | null }> {
  const project = selection.project === null ? null : await readProject(findProject(settingsFolder, selection.project));
  const skill =
    selection.skill === null ? null : await readSkill(offeredSkill(settingsFolder, project, selection.skill));
  return {
    skill: skill && { name: skill.name, text: skill.text },
    project: project && { name: project.name, instructions: project.instructions, notes: project.notes },
  };
}

/** With a project, one of its own goes first, and where it says which skills go with it, no other does. */
export function offeredSkill(settingsFolder: string, project: Project | null, name: string): NamedFolder {
  const offered = project?.skills ?? null;
  if (project === null || offered === null || offered.includes(name)) {
    return findSkill(settingsFolder, project?.name ?? null, name);
  }
  const known = offered.length === 0 ? "no skills" : `only ${offered.join(", ")}`;
  throw new PoppetError(
    "skill_unknown",
    `The project "${project.name}" offers ${known}, and not ${JSON.stringify(cutCodePoints(name, 80))}${hint(name, offered)}`,
    { exitCode: 2 },
  );
}
