/**
 * Builds what users install into `dist/`: `poppet.js` with all that everyday commands need, and a file for each part that
 * is heavy and seldom needed, loaded when it is. All of it is bytecode, which Bun makes only of whole CommonJS files:
 * so the parts are built one by one, and share no module state (errors are told apart by a mark, not by their class).
 */
import { chmodSync, rmSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import root from "../package.json" with { type: "json" };
import empty from "../packages/empty/package.json" with { type: "json" };
import own from "../packages/poppet/package.json" with { type: "json" };

const source = resolve(import.meta.dir, "../packages/poppet/src");
const out = resolve(import.meta.dir, "../dist");

/** What a dynamic import of one of these loads is a file of its own. */
const parts = [
  "cli/app.ts",
  "cli/chat/interactive.ts",
  "cli/render/markdown/render.ts",
  "cli/setup/guided.ts",
  "config/located-toml.ts",
  "config/write.ts",
  "models/anthropic.ts",
  "models/check.ts",
  "models/gemini.ts",
  "models/list.ts",
  "models/local/open.ts",
  "models/local/pull.ts",
  "models/openai.ts",
  "models/openai-compatible.ts",
  "models/servers.ts",
  "models/try.ts",
  "projects/library.ts",
  "runs/selection.ts",
  "skills/front-matter.ts",
];

const separate: BunPlugin = {
  name: "parts",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
      if (kind !== "dynamic-import") return undefined;
      const part = relative(source, resolve(dirname(importer), path));
      return parts.includes(part) ? { path: `./${fileOf(part)}`, external: true } : undefined;
    });
  },
};

rmSync(out, { recursive: true, force: true });
for (const entry of ["main.ts", ...parts]) {
  const built = await Bun.build({
    entrypoints: [`${source}/${entry}`],
    outdir: out,
    naming: entry === "main.ts" ? "poppet.js" : fileOf(entry),
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: true,
    external: ["node-llama-cpp"],
    plugins: [separate],
  });
  for (const file of built.outputs)
    console.log(`${relative(process.cwd(), file.path)} ${(file.size / 1024).toFixed(0)} KiB`);
}
chmodSync(`${out}/poppet.js`, 0o755);
await Bun.write(
  `${out}/package.json`,
  `${JSON.stringify(
    {
      name: "poppet",
      version: own.version,
      license: own.license,
      bin: { poppet: "poppet.js" },
      dependencies: { "node-llama-cpp": own.dependencies["node-llama-cpp"] },
      // The builds for graphics cards weigh 600 MB; see docs/local-models.md.
      overrides: Object.fromEntries(Object.keys(root.overrides).map((name) => [name, "file:./empty"])),
    },
    null,
    2,
  )}\n`,
);

await Bun.write(`${out}/empty/package.json`, `${JSON.stringify(empty, null, 2)}\n`);

function fileOf(part: string): string {
  return `${part.replace(/\.ts$/, "").replaceAll("/", "-")}.js`;
}
