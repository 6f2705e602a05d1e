/** A new project with files that say what can be written in them. It comes to be whole or not at all, for its owner alone. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { PoppetError, systemCode, systemReason } from "../error.ts";
import { isThere } from "../named-folder.ts";
import { checkedName, projectsFolder } from "./project.ts";

export async function createProject(settingsFolder: string, name: string): Promise<void> {
  const base = projectsFolder(settingsFolder);
  const folder = `${base}/${checkedName(name)}`;
  const temporary = `${base}/.${name}.${crypto.randomUUID()}.tmp`;
  if (isThere({ base, folder: name })) throw exists(folder);
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    mkdirSync(temporary, { mode: 0o700 });
    write(`${temporary}/project.toml`, projectToml(name));
    write(`${temporary}/instructions.md`, instructions(name));
    putInPlace(temporary, folder);
    sync(base);
  } catch (thrown) {
    remove(temporary);
    if (PoppetError.isInstance(thrown)) throw thrown;
    throw new PoppetError(
      "project_unwritable",
      `The project ${folder} cannot be made: ${systemReason(thrown)}. Make the folder above it writable.`,
    );
  }
}

/** Why it was not made is what is told, whatever becomes of this. */
function remove(temporary: string): void {
  try {
    rmSync(temporary, { recursive: true, force: true });
  } catch {
    // Its name is hidden, so that it is no project.
  }
}

function putInPlace(temporary: string, folder: string): void {
  try {
    renameSync(temporary, folder);
  } catch (thrown) {
    // Somebody was faster.
    throw ["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(systemCode(thrown) ?? "") ? exists(folder) : thrown;
  }
}

function exists(folder: string): PoppetError {
  return new PoppetError("project_exists", `${folder} is there already; it was left as it is.`);
}

function write(path: string, text: string): void {
  writeFileSync(path, text, { flag: "wx", mode: 0o600, flush: true });
}

function sync(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function projectToml(name: string): string {
  return `# The project ${name}: poppet chat new --project ${name} "…"
# A session keeps a copy of what is here when it is made.

# The name of this folder.
name = "${name}"

# The file with what the model should know and do, in this folder.
instructions = "instructions.md"

# Only these notes: names and globs in the folder of notes. Without this line, all of them.
# notes = ["${name}/*.md"]

# Only these skills go with the project, of its own folder skills/ or of yours. Without this line, any.
# skills = ["weekly-review"]
`;
}

function instructions(name: string): string {
  return `This conversation belongs to the project ${name}.\n`;
}
