import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireEngine } from "./installed.ts";

test("P1 the engine is never fetched unasked: where it is not installed, that is an error which says what to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "poppet-engine-"));
  try {
    const program = join(folder, "dist", "poppet.js");
    expect(() => requireEngine(program)).toThrow("bun install --production");
    mkdirSync(join(folder, "node_modules", "node-llama-cpp"), { recursive: true });
    writeFileSync(join(folder, "node_modules", "node-llama-cpp", "package.json"), "{}");
    expect(() => requireEngine(program)).not.toThrow();
    expect(() => requireEngine()).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
