// A folder with a script for the stand-in, and what it was called with. For any runtime.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const executable = fileURLToPath(new URL("claude.mjs", import.meta.url));

export function standIn(replies, more = {}) {
  const folder = mkdtempSync(join(tmpdir(), "poppet-claude-"));
  writeFileSync(`${folder}/script.json`, JSON.stringify(replies));
  const path = (number) => `${folder}/call-${number}.json`;
  return {
    options: { executable, folder, env: { ...process.env, ...more, CLAUDE_SCRIPT: folder } },
    get calls() {
      return readdirSync(folder).filter((name) => /^call-\d+\.json$/.test(name)).length;
    },
    async call(number) {
      while (!existsSync(path(number))) await soon();
      return JSON.parse(readFileSync(path(number), "utf8"));
    },
    /** Once the program of this call, and what it started, is no more. */
    async over(number) {
      const { pid, child } = await this.call(number);
      while (isAlive(pid) || (child !== null && isAlive(child))) await soon();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One that has ended and that nobody has asked about yet is none. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}

function soon() {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
