import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mutants } from "../../../scripts/mutants/list.ts";

const root = join(import.meta.dir, "../../..");

test("every mutant finds the text that it breaks, once, and the tests that are to notice", () => {
  const lost = mutants.filter(({ file, find }) => readFileSync(join(root, file), "utf8").split(find).length !== 2);
  expect(lost.map(({ name }) => name)).toEqual([]);
  expect(mutants.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
