import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { publishedLibrary } from "./published.ts";

let folder = "";
let printed = "";
beforeAll(() => {
  ({ folder, printed } = publishedLibrary());
});

describe("L9 the package", () => {
  test("has its scripts, its types, and nothing else but what one reads first", () => {
    const { files, tarball } = pack();
    rmSync(tarball);
    const others = files.filter((name) => !/^[a-z/-]+\.(d\.ts|js)$/.test(name));
    expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(files.filter((name) => /\.test\./.test(name))).toEqual([]);
    const scripts = files.filter((name) => name.endsWith(".js")).map((name) => name.replace(/\.js$/, ""));
    const types = files.filter((name) => name.endsWith(".d.ts")).map((name) => name.replace(/\.d\.ts$/, ""));
    expect(scripts.toSorted()).toEqual(types.toSorted());
  });

  test("depends on nothing, and neither do its types", () => {
    const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    expect([manifest.dependencies, manifest.devDependencies, manifest.sideEffects]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const { files, tarball } = pack();
    rmSync(tarball);
    for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
      const imports = [...readFileSync(join(folder, file), "utf8").matchAll(/(?:from |import\()"([^"]+)"/g)];
      const foreign = imports.map((one) => one[1] ?? "").filter((name) => !name.startsWith("."));
      expect([file, foreign.filter((name) => !optional(file, name))]).toEqual([file, []]);
    }
  });

  test("publint finds nothing", async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true });
    expect(messages).toEqual([]);
  });

  test("its types resolve as its scripts do", async () => {
    const { tarball } = pack();
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
    rmSync(tarball);
    if (result.types === false) throw new Error("the package has no types");
    // The package is for ES modules: what a `require` or a resolver from before `exports` makes of it is not asked.
    const asked = result.problems.filter((problem) => {
      const kind = "resolutionKind" in problem ? problem.resolutionKind : null;
      return kind !== "node10" && kind !== "node16-cjs";
    });
    expect(asked).toEqual([]);
  });

  test("its types compile with the libraries of ES2022 and a browser alone", () => {
    const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const files = Object.values(exports as Record<string, { readonly types: string }>)
      .map(({ types }) => types)
      .filter((name) => !/local-gguf|claude-local/.test(name));
    const place = mkdtempSync(join(tmpdir(), "poppet-types-"));
    try {
      writeFileSync(
        `${place}/a.ts`,
        files.map((name) => `export * from "${join(folder, name.replace(/\.d\.ts$/, ".js"))}";`).join("\n"),
      );
      const compilerOptions = {
        ...{
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          types: [],
          module: "esnext",
          moduleResolution: "bundler",
        },
        ...{ target: "es2022", lib: ["es2022", "dom", "dom.iterable"] },
      };
      writeFileSync(`${place}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["a.ts"] }));
      const compiler = join(import.meta.dir, "../../../node_modules/tsgo/bin/tsc");
      const { stdout } = Bun.spawnSync(["node", compiler, "-p", place]);
      expect(stdout.toString()).toBe("");
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  test("its core is at most 12 KB, minified and gzipped", () => {
    const bytes = Number(/core: (\d+) bytes/.exec(printed)?.[1]);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(12 * 1024);
  });
});

/** What a runtime brings, in the files that are for that runtime only. */
function optional(file: string, name: string): boolean {
  if (/^claude-local\/.*\.js$/.test(file)) return /^node:(child_process|os|process)$/.test(name);
  if (!file.startsWith("local-gguf/")) return false;
  return name === "node-llama-cpp" || (file.endsWith(".js") && /^node:(buffer|fs|fs\/promises|os|process)$/.test(name));
}

function pack(): { readonly files: readonly string[]; readonly tarball: string } {
  const to = mkdtempSync(join(tmpdir(), "poppet-pack-"));
  const run = Bun.spawnSync(["npm", "pack", "--json", "--pack-destination", to], { cwd: folder, stderr: "pipe" });
  if (!run.success) throw new Error(`npm pack failed: ${run.stderr.toString()}`);
  const [packed] = JSON.parse(run.stdout.toString());
  return { files: packed.files.map((file: { path: string }) => file.path), tarball: `${to}/${packed.filename}` };
}
