/** The package as it is published, built once for all tests of a run. */
import { resolve } from "node:path";

export interface Published {
  readonly folder: string;
  /** What the build printed. */
  readonly printed: string;
}

let built: Published | null = null;

export function publishedLibrary(): Published {
  built ??= build();
  return built;
}

function build(): Published {
  const run = Bun.spawnSync(["bun", `${import.meta.dir}/../../../scripts/library.ts`], { stderr: "pipe" });
  if (!run.success) throw new Error(`the library cannot be built: ${run.stdout.toString()}${run.stderr.toString()}`);
  return { folder: resolve(import.meta.dir, "../dist"), printed: run.stdout.toString() };
}
