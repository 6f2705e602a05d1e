/** Where skills are: in the settings folder, and in the folder of each project. */
import { cutCodePoints } from "@poppet/chat";
import { PoppetError } from "../error.ts";
import { isName, isThere, type NamedFolder, nameRule, namesIn } from "../named-folder.ts";
import { hint } from "../nearest.ts";

export function skillPlace(settingsFolder: string, project: string | null, name: string): NamedFolder {
  return project === null
    ? { base: `${settingsFolder}/skills`, folder: name }
    : { base: `${settingsFolder}/projects`, folder: `${project}/skills/${name}` };
}

/** The names that stand in one place, right or broken. */
export function skillNames(settingsFolder: string, project: string | null): readonly string[] {
  if (project === null) return namesIn(`${settingsFolder}/skills`, "skill_invalid");
  return namesIn(`${settingsFolder}/projects`, "skill_invalid", `${project}/skills`);
}

/** The project's own skill goes before one of the settings folder. PoppetError `skill_unknown` names the nearest. */
export function findSkill(settingsFolder: string, project: string | null, name: string): NamedFolder {
  if (!isName(name))
    throw unknownSkill(`${JSON.stringify(cutCodePoints(name, 80))} is no skill's name: one is ${nameRule}`);
  const places = project === null ? [null] : [project, null];
  const found = places.map((place) => skillPlace(settingsFolder, place, name)).find(isThere);
  if (found !== undefined) return found;
  const known = places.flatMap((place) => skillNames(settingsFolder, place));
  throw unknownSkill(`No skill "${name}"${hint(name, known) || "; `poppet skills list` lists them."}`);
}

export function unknownSkill(message: string): PoppetError {
  return new PoppetError("skill_unknown", message, { exitCode: 2 });
}
