/**
 * Whether the engine's package is installed beside the program. It is looked for by hand before it is imported: where
 * Bun finds none, it would fetch one by itself, unasked, of any version and with all its builds for graphics cards.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { PoppetError } from "../../error.ts";

const enginePackage = "node-llama-cpp";

/** PoppetError `local_engine`, with what to do, where it is not there. `program` is the file that was started. */
export function requireEngine(program: string = Bun.main): void {
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", enginePackage, "package.json"))) return;
    if (folder !== dirname(folder)) continue;
    const beside = dirname(program);
    throw new PoppetError(
      "local_engine",
      `The package ${enginePackage}, which runs local models, is not installed. Run \`bun install --production\` in ${beside}.`,
    );
  }
}
