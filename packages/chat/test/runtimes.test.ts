import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const source = `${import.meta.dir}/../src`;
const cache = `${import.meta.dir}/../../../.cache/runtimes`;
const built = mkdtempSync(join(tmpdir(), "poppet-chat-"));

beforeAll(async () => {
  const { success } = await Bun.build({
    entrypoints: [`${source}/index.ts`, `${source}/testing/index.ts`],
    outdir: built,
    target: "node",
    splitting: true,
  });
  expect(success).toBe(true);
  writeFileSync(`${built}/package.json`, '{"type":"module"}');
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

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
  const run = Bun.spawn([...command, `${import.meta.dir}/smoke.mjs`, built], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  expect([await run.exited, err]).toEqual([0, ""]);
  return out.trim();
}

describe("L9 the library runs unchanged on", () => {
  test("Bun", async () => expect(await smoke([process.execPath])).toBe("ok bun"));
  test("Node 20 and later", async () => {
    expect(await smoke(["node"])).toBe("ok node");
  });
  test("Deno", async () => expect(await smoke([deno(), "run", "--allow-read", "--no-lock"])).toBe("ok deno"), 300_000);
});
