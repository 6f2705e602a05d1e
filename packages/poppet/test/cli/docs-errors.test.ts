import { expect, test } from "bun:test";
import { join } from "node:path";
import { chatErrorCodes } from "@poppet/chat/error-codes";
import { poppetErrorCodes } from "../../src/error.ts";

const root = join(import.meta.dir, "../../../..");
/** A code of both is of one meaning. */
const codes: readonly string[] = [...new Set<string>([...chatErrorCodes, ...poppetErrorCodes])];

test("S0 docs/errors.md has every error code once, and no other", async () => {
  const page = await Bun.file(join(root, "docs/errors.md")).text();
  const documented = [...page.matchAll(/^\| `(\w+)` /gm)].map((row) => row[1] ?? "");
  expect(documented.toSorted()).toEqual([...codes].sort());
});

test("S0 every error code is used somewhere besides the list of them", async () => {
  let sources = "";
  for (const path of new Bun.Glob("packages/{chat,poppet}/src/**/*.ts").scanSync(root)) {
    if (!path.endsWith(".test.ts")) sources += await Bun.file(join(root, path)).text();
  }
  const uses = sources.replaceAll(/\w+ErrorCodes = \[[^\]]*\]/g, "");
  expect(codes.filter((code) => !uses.includes(`"${code}"`))).toEqual([]);
});
