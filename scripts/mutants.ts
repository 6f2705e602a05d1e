/**
 * `bun run test:mutants [NAME…]`: breaks the committed code in named ways, one at a time in a work tree of its own, and shows
 * which test notices. A break that no test notices fails the run: it wants a test.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutant, mutants } from "./mutants/list.ts";

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? mutants : mutants.filter(({ name }) => wanted.some((part) => name.includes(part)));
const tree = join(mkdtempSync(join(tmpdir(), "poppet-mutants-")), "tree");

/** A break can make the code go round for ever: then the tests have noticed by not ending. */
const patienceMs = 120_000;

function run(command: string[], cwd: string): { readonly success: boolean; readonly output: string } {
  const env = { ...process.env, NO_COLOR: "1" };
  const done = Bun.spawnSync(command, {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
    env,
    timeout: patienceMs,
    killSignal: "SIGKILL",
  });
  return { success: done.success, output: done.stdout.toString() + done.stderr.toString() };
}

/** A test that fails, or is not there, without a break notices nothing. */
function refuseBlind(): void {
  for (const path of new Set(chosen.flatMap((mutant) => mutant.tests))) {
    if (!existsSync(join(tree, path))) throw new Error(`there is no test ${path}`);
    const failed = firstToNotice({ tests: [path] });
    if (failed !== null) throw new Error(`a test of ${path} fails although nothing is broken: ${failed}`);
  }
}

/** The test that failed first, or null where none did. */
function firstToNotice({ tests }: Pick<Mutant, "tests">): string | null {
  const { success, output } = run(
    ["bun", "test", "--timeout", "20000", "--bail", ...tests.map((path) => `./${path}`)],
    tree,
  );
  if (success) return null;
  return /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(output)?.[1] ?? output.trim().split("\n").at(-1) ?? "";
}

let missed = 0;
try {
  for (const command of [
    ["git", "worktree", "add", "--detach", tree],
    ["bun", "install", "--frozen-lockfile", "--cwd", tree],
  ]) {
    const { success, output } = run(command, process.cwd());
    if (!success) throw new Error(output);
  }
  refuseBlind();
  for (const mutant of chosen) {
    const path = join(tree, mutant.file);
    const whole = readFileSync(path, "utf8");
    if (whole.split(mutant.find).length !== 2)
      throw new Error(`"${mutant.name}": its text is not once in ${mutant.file}`);
    writeFileSync(
      path,
      whole.replace(mutant.find, () => mutant.put),
    );
    const noticed = firstToNotice(mutant);
    writeFileSync(path, whole);
    if (noticed === null) missed++;
    console.log(
      `${noticed === null ? "MISSED " : "noticed"}  ${mutant.name}${noticed === null ? "" : `\n           by: ${noticed}`}`,
    );
  }
  console.log(`${chosen.length - missed} noticed, ${missed} missed`);
} finally {
  run(["git", "worktree", "remove", "--force", tree], process.cwd());
  rmSync(join(tree, ".."), { recursive: true, force: true });
}
process.exit(missed === 0 ? 0 : 1);
