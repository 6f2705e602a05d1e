/** Deno comes from npm, once, into a folder that stays. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const cache = resolve(import.meta.dir, "../../../.cache/runtimes");

export function deno(): string {
  const path = `${cache}/node_modules/.bin/deno`;
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  writeFileSync(`${cache}/package.json`, '{"private":true}');
  const install = Bun.spawnSync(["npm", "install", "--no-audit", "--no-fund", "deno@2.9.6"], { cwd: cache });
  if (!install.success) throw new Error(`npm could not install deno: ${install.stderr.toString()}`);
  return path;
}
