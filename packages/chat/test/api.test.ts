import { expect, test } from "bun:test";

test("L9 the reference is made from the docstrings, and nothing in it leads nowhere", () => {
  const run = Bun.spawnSync(["bun", `${import.meta.dir}/../../../scripts/api.ts`], { stdout: "pipe", stderr: "pipe" });
  expect([run.exitCode, run.stdout.toString() + run.stderr.toString()]).toEqual([0, ""]);
}, 120_000);
