/** Starts the program as a child process with an empty home, and waits for its end. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Script } from "./scripted.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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

export async function ended(
  command: readonly string[],
  options: { readonly env: { readonly [name: string]: string }; readonly stdin?: string | Uint8Array | Blob },
): Promise<Ended> {
  const child = Bun.spawn([...command], {
    env: { ...options.env },
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin as BlobPart]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}
