/** Starts the program as a child process with an empty home, and waits for its end. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildOptions, type Ended, startChild } from "../program/child.ts";
import type { Script } from "./scripted.ts";

export interface Home extends AsyncDisposable {
  readonly path: string;
  readonly env: { readonly [name: string]: string };
}

const source = join(import.meta.dir, "../../src/main.ts");
const scripted = join(import.meta.dir, "scripted.ts");

export const program = (...given: readonly string[]) => [process.execPath, source, ...given];
export const scriptedProgram = (...given: readonly string[]) => [process.execPath, scripted, ...given];

export async function emptyHome(script: Script = {}): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), "poppet-test-"));
  return {
    path,
    env: { HOME: path, PATH: process.env.PATH ?? "", SCRIPT: JSON.stringify(script) },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

export async function ended(command: readonly string[], options: ChildOptions): Promise<Ended> {
  await using child = startChild(command, options);
  return await child.ended();
}
