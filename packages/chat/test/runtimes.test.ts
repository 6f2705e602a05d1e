import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { publishedLibrary } from "./published.ts";

const cache = `${import.meta.dir}/../../../.cache/runtimes`;
let folder = "";
beforeAll(() => {
  ({ folder } = publishedLibrary());
});

/** Deno comes from npm, once, into a folder that stays. */
function deno(): string {
  const path = `${cache}/node_modules/.bin/deno`;
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  writeFileSync(`${cache}/package.json`, '{"private":true}');
  const install = Bun.spawnSync(["npm", "install", "--no-audit", "--no-fund", "deno@2.9.6"], { cwd: cache });
  if (!install.success) throw new Error(`npm could not install deno: ${install.stderr.toString()}`);
  return path;
}

async function smoke(command: string[]): Promise<string> {
  const run = Bun.spawn([...command, `${import.meta.dir}/smoke.mjs`, folder], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  expect([await run.exited, err]).toEqual([0, ""]);
  return out.trim();
}

describe("L9 the library, as it is published, runs on", () => {
  test("Bun", async () => expect(await smoke([process.execPath])).toBe("ok bun"));
  test("Node 20 and later", async () => expect(await smoke(["node"])).toBe("ok node"));
  test("Deno", async () => expect(await smoke([deno(), "run", "--allow-read", "--no-lock"])).toBe("ok deno"), 300_000);
});
