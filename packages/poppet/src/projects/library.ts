/** Skills and projects as people look at them: listed, shown and checked, one by one, so that a broken one hides no other. */
import { type Finding, findingText } from "../finding.ts";
import type { Library, ListedProject, ListedSkill } from "../library.ts";
import { type NamedFolder, pathOf } from "../named-folder.ts";
import { findSkill, skillNames, skillPlace, unknownSkill } from "../skills/find.ts";
import { readSkill, type Skill, skillFile } from "../skills/skill.ts";
import { createProject } from "./create.ts";
import { findProject, type Project, projectNames, projectsFolder, readProject } from "./project.ts";
import { offeredSkill } from "./selection.ts";

export function openLibrary(settingsFolder: string): Library {
  const library: Library = {
    async listSkills() {
      const places = skillPlaces(settingsFolder);
      return Promise.all(places.map(listedSkill));
    },

    async showSkill(name, projectName) {
      const project = projectName === null ? null : await readProject(findProject(settingsFolder, projectName));
      const place = offeredSkill(settingsFolder, project, name);
      const { notes: _, ...skill } = await readSkill(place);
      return { ...skill, project: projectOf(place) };
    },

    async checkSkills(target) {
      const places = target === null ? skillPlaces(settingsFolder) : placesOf(settingsFolder, target);
      return (await Promise.all(places.map(checkSkill))).flat();
    },

    async listProjects() {
      return Promise.all(projectNames(settingsFolder).map((name) => listedProject(settingsFolder, name)));
    },

    async showProject(name) {
      return readProject(findProject(settingsFolder, name));
    },

    async createProject(name) {
      await createProject(settingsFolder, name);
      return library.showProject(name);
    },

    names: () => ({
      skills: [...new Set(skillPlaces(settingsFolder).map(nameOf))].sort(),
      projects: projectNames(settingsFolder),
    }),

    async check() {
      try {
        const [skills, projects] = await Promise.all([library.listSkills(), library.listProjects()]);
        return [summary("skills", skills), summary("projects", projects)];
      } catch (thrown) {
        return [{ ok: false, subject: "skills and projects", message: findingText(thrown) }];
      }
    },
  };
  return library;
}

function skillPlaces(settingsFolder: string): readonly NamedFolder[] {
  const placed = (project: string | null) =>
    skillNames(settingsFolder, project).map((name) => skillPlace(settingsFolder, project, name));
  const ofProject = (project: string) => {
    try {
      return placed(project);
    } catch {
      // It is the project's fault, and listed as that.
      return [];
    }
  };
  return [...placed(null), ...projectNames(settingsFolder).flatMap(ofProject)];
}

/** A word is a name, wherever there is one of it; what has a slash is the path of a folder, or of its `SKILL.md`. */
function placesOf(settingsFolder: string, target: string): readonly NamedFolder[] {
  if (!target.includes("/") && target !== "." && target !== "..") {
    const named = skillPlaces(settingsFolder).filter((place) => nameOf(place) === target);
    return named.length > 0 ? named : [findSkill(settingsFolder, null, target)];
  }
  const path = Bun.fileURLToPath(new URL(Bun.pathToFileURL(target).href.replace(/\/+$/, "")));
  const folder = path.endsWith(`/${skillFile}`) ? path.slice(0, -skillFile.length - 1) : path;
  const slash = folder.lastIndexOf("/");
  if (slash < 0 || folder === "/") throw unknownSkill(`${JSON.stringify(target)} is no skill's folder.`);
  return [{ base: folder.slice(0, slash) || "/", folder: folder.slice(slash + 1) }];
}

function nameOf({ folder }: NamedFolder): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

function projectOf({ folder }: NamedFolder): string | null {
  return folder.includes("/") ? folder.slice(0, folder.indexOf("/")) : null;
}

async function listedSkill(place: NamedFolder): Promise<ListedSkill> {
  const listed = { name: nameOf(place), project: projectOf(place), path: `${pathOf(place)}/${skillFile}` };
  const skill = await orFault(readSkill(place));
  return { ...listed, description: "fault" in skill ? null : skill.description, fault: faultOf(skill) };
}

async function listedProject(settingsFolder: string, name: string): Promise<ListedProject> {
  const place = { base: projectsFolder(settingsFolder), folder: name };
  const project = await orFault(readProject(place));
  const path = `${pathOf(place)}/project.toml`;
  if ("fault" in project) return { name, path, notes: null, skills: null, fault: project.fault };
  return {
    name,
    path,
    notes: project.notes,
    skills: project.skills,
    fault: await skillsFault(settingsFolder, project),
  };
}

/** Its folder of skills has to be right, and a skill that it offers has to be somewhere. */
async function skillsFault(settingsFolder: string, project: Project): Promise<string | null> {
  const own = await orFault((async () => skillNames(settingsFolder, project.name))());
  if ("fault" in own) return own.fault;
  for (const name of project.skills ?? []) {
    const found = await orFault((async () => findSkill(settingsFolder, project.name, name))());
    if ("fault" in found) return `${project.path}: skills: ${found.fault}`;
  }
  return null;
}

async function checkSkill(place: NamedFolder): Promise<readonly Finding[]> {
  const subject = [projectOf(place), nameOf(place)].filter((part) => part !== null).join("/");
  const skill = await orFault(readSkill(place));
  if ("fault" in skill) return [{ ok: false, subject, message: skill.fault }];
  return [skill.path, ...skill.notes].map((message) => ({ ok: true, subject, message }));
}

function summary(
  subject: string,
  listed: readonly { readonly name: string; readonly fault: string | null }[],
): Finding {
  const faults = listed.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  const count = listed.length === 0 ? "none" : `${listed.length}: ${listed.map(({ name }) => name).join(", ")}`;
  if (faults.length === 0) return { ok: true, subject, message: count };
  const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more: poppet ${subject} list)`;
  return { ok: false, subject, message: `${faults.length} of ${listed.length} broken: ${faults[0]}${more}` };
}

async function orFault<Value extends object>(reading: Promise<Value>): Promise<Value | { readonly fault: string }> {
  try {
    return await reading;
  } catch (thrown) {
    return { fault: findingText(thrown) };
  }
}

function faultOf(read: Skill | { readonly fault: string }): string | null {
  return "fault" in read ? read.fault : null;
}
