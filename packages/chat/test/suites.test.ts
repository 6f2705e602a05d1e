/** The suites for providers and stores, under the runners that they are for, on the library as it is published. */
import { beforeAll, describe, expect, test } from "bun:test";
import { deno } from "./from-npm.ts";
import { publishedLibrary } from "./published.ts";

let library = "";
/** The cases that there are. */
let cases = 0;
beforeAll(async () => {
  library = publishedLibrary().folder;
  process.env.POPPET_LIBRARY = library;
  const { both } = await import("./suites/both.mjs");
  both({ test: () => cases++ });
});

const folder = `${import.meta.dir}/suites`;

async function output(command: readonly string[]): Promise<string> {
  const env = { ...process.env, POPPET_LIBRARY: library, NO_COLOR: "1" };
  const run = Bun.spawn([...command], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  if ((await run.exited) !== 0) throw new Error(`${command.join(" ")}:\n${out}${err}`);
  return out + err;
}

/** The cases that passed, by the words of each runner. */
async function passed(command: readonly string[], words: RegExp): Promise<number> {
  return Number(words.exec(await output(command))?.[1]);
}

describe("L7 the suites run under", () => {
  test("node:test", async () => {
    expect(await passed(["node", "--test", "node.mjs"], /^# pass (\d+)$/m)).toBe(cases);
  }, 120_000);
  test("Deno's runner", async () => {
    const command = [deno(), "test", "--allow-all", "--no-lock", "--no-check", "deno.mjs"];
    expect(await passed(command, /(\d+) passed/)).toBe(cases);
  }, 300_000);
  test("Vitest", async () => {
    const vitest = Bun.fileURLToPath(new URL("../vitest.mjs", import.meta.resolve("vitest")));
    expect(await passed(["node", vitest, "run"], /Tests +(\d+) passed/)).toBe(cases);
  }, 120_000);
});
