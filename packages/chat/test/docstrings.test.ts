import { expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../package.json";

const source = join(import.meta.dir, "../src");

/** Names that a file exports, of its own or of other files. */
async function exported(file: string): Promise<readonly string[]> {
  const text = await Bun.file(file).text();
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const own = [...text.matchAll(declaration)].map(([, name = ""]) => name);
  return [...lists.map((name) => name.trim().replace(/^type /, "")).filter((name) => name !== ""), ...own];
}
const declaration = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm;

test("L9 whatever the package exports says what it is", async () => {
  const entries = Object.values(manifest.exports).map((path) => join(source, "..", path));
  const names = new Set((await Promise.all(entries.map(exported))).flat());
  const told = new Set<string>();
  const untold: string[] = [];
  for (const path of new Bun.Glob("**/*.ts").scanSync(source)) {
    if (path.endsWith(".test.ts")) continue;
    const text = await Bun.file(join(source, path)).text();
    for (const found of text.matchAll(declaration)) {
      const name = found[1] ?? "";
      if (!names.has(name)) continue;
      if (text.slice(0, found.index).endsWith("*/\n")) told.add(name);
      else untold.push(`${path}: ${name}`);
    }
  }
  expect(untold).toEqual([]);
  expect([...names].filter((name) => !told.has(name))).toEqual([]);
  expect(told.size).toBeGreaterThan(100);
});
