/**
 * `bun run bench [--rounds N] [--million]`: measures the built program against floors in the same run, and prints a
 * table. Times waver with the machine; the ratios are what to look at.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchDeltas } from "./deltas.ts";
import { benchFirstDelta } from "./first-delta.ts";
import { benchInstall } from "./install.ts";
import { benchInterrupt } from "./interrupt.ts";
import { benchLibrary } from "./library.ts";
import { benchLong } from "./long.ts";
import { benchMarkdown } from "./markdown.ts";
import { benchMillion } from "./million.ts";
import { benchPeers } from "./peers.ts";
import { benchPrograms } from "./programs.ts";
import { benchPrompt } from "./prompt.ts";
import { printTable } from "./table.ts";

const usage = "usage: bun run bench [--rounds N] [--million]";
const { rounds, million, help } = readArguments();
if (help) {
  console.log(usage);
  process.exit(0);
}

const build = Bun.spawnSync(["bun", new URL("../scripts/build.ts", import.meta.url).pathname], { stderr: "inherit" });
if (!build.success) throw new Error("the build failed");

const folder = mkdtempSync(join(tmpdir(), "poppet-bench-"));
try {
  console.log(
    `${cpus().length} cores, Bun ${Bun.version}, ${rounds} rounds; value and floor: median ± spread of the middle half`,
  );
  printTable("Whole processes", await benchPrograms(folder, rounds));
  printTable("Streaming", [
    ...(await benchDeltas(folder, rounds)),
    ...(await benchMarkdown(folder, rounds)),
    ...(await benchFirstDelta(folder, rounds)),
  ]);
  printTable("The library", [...(await benchLibrary(rounds)), ...(await benchPeers(rounds))]);
  printTable("Prompt", await benchPrompt(folder, rounds));
  printTable("Stopping", await benchInterrupt(folder, rounds));
  printTable("Length", [...(await benchLong(folder)), ...(million ? await benchMillion(folder) : [])]);
  printTable("Install", benchInstall());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: "string", default: "15" },
        million: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (!/^[1-9]\d*$/.test(values.rounds)) throw new RangeError("--rounds must be a whole number from 1");
    return { ...values, rounds: Number(values.rounds) };
  } catch (thrown) {
    console.error(`bench: ${thrown instanceof Error ? thrown.message : thrown}\n${usage}`);
    process.exit(2);
  }
}
