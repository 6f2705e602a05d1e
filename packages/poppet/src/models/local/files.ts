/** Where models are kept: one GGUF file each, named after the model, in one folder; and whether one can be used. */
import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { checkGguf, checkWholeGguf, type GgufCheck } from "@poppet/chat/local-gguf";
import { PoppetError, systemCode, systemReason } from "../../error.ts";
import { hint } from "../../nearest.ts";
import { catalogue } from "./catalogue.ts";

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
    if (systemCode(thrown) === "ENOENT") return [];
    throw new PoppetError(
      "local_engine",
      `The folder of models ${folder} cannot be read: ${systemReason(thrown)}. Put that right, or set POPPET_HOME to another folder.`,
    );
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
  return await checkedModelFile(model, folder, checkGguf);
}

/** The same, and looks closer than each start can afford: whether the file is cut off. */
export async function wholeModelFile(model: string, folder: string): Promise<string> {
  return await checkedModelFile(model, folder, checkWholeGguf);
}

async function checkedModelFile(
  model: string,
  folder: string,
  look: (path: string) => Promise<GgufCheck>,
): Promise<string> {
  const path = modelPath(model, folder);
  try {
    const check = await look(path);
    if (check.ok) return path;
    throw new PoppetError("local_engine", `The model file ${path} cannot be used: ${check.reason}. Pull it again.`);
  } catch (thrown) {
    if (PoppetError.isInstance(thrown)) throw thrown;
    if (systemCode(thrown) === "ENOENT") {
      throw new PoppetError("model_missing", `There is no model file ${path}; ${wayToGet(model)}`);
    }
    throw new PoppetError(
      "local_engine",
      `The model file ${path} cannot be read: ${systemReason(thrown)}. Put that right, or name another model.`,
    );
  }
}

/** Only a name of the catalogue can be pulled by itself. */
function wayToGet(model: string): string {
  const names = catalogue.map((one) => one.name);
  if (names.includes(model)) return `fetch it with: poppet models pull ${model}`;
  return `\`poppet models local\` lists what is here and what can be pulled${hint(model, names)}`;
}
