/**
 * `bun run bench [--rounds N] [--million]`: measures the built program against floors in the same run, and prints a table. Times waver
 * with the machine; the ratios are what to look at.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchDeltas } from "./deltas.ts";
import { benchFirstDelta } from "./first-delta.ts";
import { benchInstall } from "./install.ts";
import { benchLong } from "./long.ts";
import { benchMillion } from "./million.ts";
import { benchPrograms } from "./programs.ts";
import { printTable } from "./table.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, million: { type: "boolean", default: false } },
});
const rounds = Number(values.rounds);

const build = Bun.spawnSync(["bun", new URL("../scripts/build.ts", import.meta.url).pathname], { stderr: "inherit" });
if (!build.success) throw new Error("the build failed");

const folder = mkdtempSync(join(tmpdir(), "poppet-bench-"));
try {
  console.log(
    `${cpus().length} cores, Bun ${Bun.version}, ${rounds} rounds; value and floor: median ± spread of the middle half`,
  );
  printTable("Whole processes", await benchPrograms(folder, rounds));
  printTable("Streaming", [...(await benchDeltas(folder, rounds)), ...(await benchFirstDelta(folder, rounds))]);
  printTable("Length", [...(await benchLong(folder)), ...(values.million ? await benchMillion(folder) : [])]);
  printTable("Install", benchInstall());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
