/** What the surfaces ask of skills and projects, the files that people write for the assistant. Types only. */
import type { Finding } from "./finding.ts";

export interface Library {
  /** Those of the settings folder, then those of each project; a broken one with its fault. */
  listSkills(): Promise<readonly ListedSkill[]>;
  /** The skill that a new session would get by this name, in this project. */
  showSkill(name: string, project: string | null): Promise<ShownSkill>;
  /** What is right and wrong with every skill, with those of one name, or with the one at a path. */
  checkSkills(target: string | null): Promise<readonly Finding[]>;
  listProjects(): Promise<readonly ListedProject[]>;
  showProject(name: string): Promise<ShownProject>;
  /** Makes its folder and files, whole or not at all. */
  createProject(name: string): Promise<ShownProject>;
  /** Names only, for completion: no file is opened. */
  names(): { readonly skills: readonly string[]; readonly projects: readonly string[] };
  /** For `doctor`. */
  check(): Promise<readonly Finding[]>;
}

export interface ListedSkill {
  readonly name: string;
  /** The project whose folder it is in; null for the settings folder. */
  readonly project: string | null;
  readonly description: string | null;
  readonly path: string;
  readonly fault: string | null;
}

export interface ShownSkill {
  readonly name: string;
  readonly project: string | null;
  readonly description: string;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly metadata: { readonly [name: string]: string };
  readonly allowedTools: readonly string[];
  readonly path: string;
  readonly text: string;
}

export interface ListedProject {
  readonly name: string;
  readonly path: string;
  readonly notes: readonly string[] | null;
  readonly skills: readonly string[] | null;
  readonly fault: string | null;
}

export interface ShownProject {
  readonly name: string;
  readonly path: string;
  readonly instructionsPath: string;
  readonly instructions: string;
  readonly notes: readonly string[] | null;
  readonly skills: readonly string[] | null;
}
