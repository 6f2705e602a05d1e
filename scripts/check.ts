/** Types, style, dead code and import directions, side by side. `--fix` lets Biome repair what it can first. */
export {};

const fix = process.argv.includes("--fix");

const checks: Record<string, string[]> = {
  types: ["node", "node_modules/tsgo/bin/tsc", "-p", "."],
  style: ["bun", "x", "biome", "check", "--error-on-warnings", ...(fix ? ["--write"] : [])],
  "dead code": ["bun", "x", "knip", "--no-progress", "--treat-config-hints-as-errors"],
  // It wants Node 22: Bun runs it.
  imports: [
    "bun",
    "--bun",
    "x",
    "depcruise",
    "--config",
    ".dependency-cruiser.json",
    "packages",
    "scripts",
    "bench",
    "examples",
  ],
};

const results = await Promise.all(
  Object.entries(checks).map(async ([name, command]) => {
    const started = performance.now();
    const run = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
    const [out, err, code] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ]);
    return { name, passed: code === 0, output: out + err, seconds: (performance.now() - started) / 1000 };
  }),
);
for (const { name, passed, output, seconds } of results) {
  if (!passed) console.log(output.trimEnd());
  console.log(`${passed ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s)`);
}
process.exit(results.every((result) => result.passed) ? 0 : 1);
