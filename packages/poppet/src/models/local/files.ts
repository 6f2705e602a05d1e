/** Where models are kept: one GGUF file each, named after the model, in one folder; and whether one can be used. */
import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { messageOf } from "@poppet/chat";
import { PoppetError } from "../../error.ts";
import { checkGguf } from "./gguf.ts";

const ending = ".gguf";

export interface InstalledModel {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/** A name stands for a file in the folder; anything with a slash is a path of its own. */
function modelPath(model: string, folder: string): string {
  const isPath = isAbsolute(model) || model.includes("/") || model.includes("\\");
  if (isPath) return resolve(model);
  return join(folder, model.toLowerCase().endsWith(ending) ? model : model + ending);
}

/** `X/smollm2-135m.gguf` is called `smollm2-135m`. */
export function modelName(path: string): string {
  const name = basename(path);
  return name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** By name. A folder that is not there has none. */
export async function installedModels(folder: string): Promise<readonly InstalledModel[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw thrown;
  }
  const models: InstalledModel[] = [];
  for (const name of names.filter((one) => one.toLowerCase().endsWith(ending)).sort()) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) models.push({ name: modelName(path), path, bytes: found.size });
  }
  return models;
}

/** Returns the path of a model's file. PoppetError, with what to do, where it is missing or cannot be used. */
export async function usableModelFile(model: string, folder: string): Promise<string> {
  const path = modelPath(model, folder);
  const name = modelName(path);
  try {
    const check = await checkGguf(path);
    if (check.ok) return path;
    throw new PoppetError("local_engine", `The model file ${path} cannot be used: ${check.reason}. Pull it again.`);
  } catch (thrown) {
    if (PoppetError.isInstance(thrown)) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") {
      const hint = model === name ? `fetch it with: poppet models pull ${name}` : "poppet models pull NAME fetches one";
      throw new PoppetError("model_missing", `There is no model file ${path}; ${hint}`);
    }
    throw new PoppetError("local_engine", `The model file ${path} cannot be read: ${messageOf(thrown)}`);
  }
}
