/**
 * Builds `@poppet/chat` as it is published, into `packages/chat/dist/`: a JavaScript file and its types for each source
 * file, and a package.json whose exports name them. Prints the size of the core.
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const source = resolve(import.meta.dir, "../packages/chat");
const out = `${source}/dist`;

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

rmSync(out, { recursive: true, force: true });
compile();
for (const file of filesIn(out, ".d.ts")) nameScripts(file);
const manifest: Manifest = await Bun.file(`${source}/package.json`).json();
writeFileSync(`${out}/package.json`, `${JSON.stringify(published(manifest), null, 2)}\n`);
for (const name of ["LICENSE", "README.md"])
  copyFileSync(join(name === "LICENSE" ? `${source}/../..` : source, name), `${out}/${name}`);
console.log(`core: ${await coreBytes()} bytes, minified and gzipped`);

function compile(): void {
  const folder = mkdtempSync(`${source}/.build-`);
  try {
    const compilerOptions = {
      noEmit: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: `${source}/src`,
      outDir: out,
      // Node 20 has no `using`.
      target: "ES2022",
    };
    const tests = `${source}/src/**/*.test.ts`;
    // Only what starts a program or an engine may know of a runtime.
    run(folder, { ...compilerOptions, types: [] }, [tests, `${source}/src/claude-local`, `${source}/src/local-gguf`]);
    run(folder, { ...compilerOptions, noEmit: false, types: ["node"] }, [tests]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(folder: string, compilerOptions: object, exclude: readonly string[]): void {
  const extended = resolve(source, "../../tsconfig.json");
  const config = { extends: extended, compilerOptions, include: [`${source}/src/**/*.ts`], exclude };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
  const compiler = resolve(source, "../../node_modules/tsgo/bin/tsc");
  const compiled = Bun.spawnSync(["node", compiler, "-p", folder], { stdout: "inherit", stderr: "inherit" });
  if (!compiled.success) throw new Error("the library does not compile");
}

/** Types keep `./x.ts`, which is a file of the source and not of the package. */
function nameScripts(file: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(/(from |import\()("\.[^"]*)\.ts"/g, '$1$2.js"'));
}

/** The exports point at what was built; what is for work on the package is left out. */
function published({ exports, ...manifest }: Manifest): Manifest {
  const { devDependencies: _tools, ...kept } = manifest;
  const built = Object.entries(exports).map(([path, file]) => {
    const base = file.replace(/^\.\/src\//, "./").replace(/\.ts$/, "");
    return [path, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  return { ...kept, exports: Object.fromEntries(built) };
}

/** What `@poppet/chat` loads by itself; what it loads by `import()` once it is used is not in it. */
async function coreBytes(): Promise<number> {
  const later: Bun.BunPlugin = {
    name: "later",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ path, kind }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
      );
    },
  };
  const entrypoints = [`${out}/index.js`];
  const { outputs } = await Bun.build({ entrypoints, minify: true, target: "browser", plugins: [later] });
  const [bundle] = outputs;
  if (!bundle) throw new Error("the core cannot be bundled");
  return Bun.gzipSync(await bundle.arrayBuffer(), { level: 9 }).length;
}

function filesIn(folder: string, end: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));
}
