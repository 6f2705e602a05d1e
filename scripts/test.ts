/**
 * Runs the tests: `unit` (beside the sources), `system` (whole programs, in `test` folders), or both. Other arguments
 * go to `bun test`. The last line is `N passed, N failed`.
 */
export {};

const [first = "", ...others] = process.argv.slice(2);
const isPart = first === "unit" || first === "system";
const rest = isPart ? others : process.argv.slice(2);

const all = [...new Bun.Glob("packages/**/*.test.ts").scanSync(".")].filter((path) => !path.includes("node_modules"));
const isSystem = (path: string) => /\/test\//.test(path);
const files = isPart ? all.filter((path) => isSystem(path) === (first === "system")) : all;
const named = rest.some((argument) => argument.endsWith(".ts") || argument.includes("/"));

const run = Bun.spawn(
  ["bun", "test", "--timeout", "60000", ...rest, ...(named ? [] : files.sort().map((path) => `./${path}`))],
  { stdout: "inherit", stderr: "pipe", env: { ...process.env, NO_COLOR: "1" } },
);
let report = "";
const decoder = new TextDecoder();
for await (const chunk of run.stderr) {
  const text = decoder.decode(chunk, { stream: true });
  report += text;
  process.stderr.write(text.replaceAll(/^\(pass\) .*\n/gm, ""));
}
const code = await run.exited;
const count = (word: string) => Number(report.match(new RegExp(`^ *(\\d+) ${word}$`, "m"))?.[1] ?? 0);
const failed = count("fail") + count("error(?:s)?");
const skipped = count("skip");
console.log(
  `${count("pass")} passed, ${failed || (code === 0 ? 0 : 1)} failed${skipped ? `, ${skipped} skipped` : ""}`,
);
process.exit(code);
