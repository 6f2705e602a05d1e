/** Runtimes that the machine may lack come from npm, once, each into a folder that stays. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const cache = resolve(import.meta.dir, "../../../.cache/runtimes");

export function deno(): string {
  return fetched("deno@2.9.6", cache, ".bin/deno");
}

/** Beside the Node that is installed. */
export function node(version: "22.23.3" | "24.21.0"): string {
  return fetched(`node@${version}`, `${cache}/node-${version}`, "node/bin/node");
}

function fetched(name: string, folder: string, program: string): string {
  const path = `${folder}/node_modules/${program}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{"private":true}');
  const install = Bun.spawnSync(["npm", "install", "--no-audit", "--no-fund", name], { cwd: folder });
  if (!install.success) throw new Error(`npm could not install ${name}: ${install.stderr.toString()}`);
  return path;
}
