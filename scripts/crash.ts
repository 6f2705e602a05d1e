/**
 * `bun run test:crash [--kills N] [--seed S]`: the storm of the crash tests for as long as one likes. Prints its seed; the
 * same seed makes the same choices again. The data folder of a storm that broke a law is kept.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildChild } from "../packages/poppet/test/crash/build-child.ts";
import { storm } from "../packages/poppet/test/crash/storm.ts";

const { values } = parseArgs({ options: { kills: { type: "string", default: "500" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const folder = mkdtempSync(join(tmpdir(), "poppet-crash-"));
console.log(`seed ${seed}`);
const child = await buildChild(folder);
const report = await storm({ home: `${folder}/home`, child, kills: Number(values.kills), seed }).catch((thrown) => {
  console.error(`the data is kept in ${folder}/home`);
  throw thrown;
});
console.log(JSON.stringify(report));
rmSync(folder, { recursive: true, force: true });
