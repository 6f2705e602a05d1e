/** A Chromium for tests: the machine's own, else one from npm, fetched once into a folder that stays. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

const cache = new URL("../../../../.cache/runtimes", import.meta.url).pathname;
const version = "153.0.0";

/** What opens a page without a window: the executable with its flags, and the environment that it needs. */
export interface Chromium {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

export function chromium(): Chromium {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const path = Bun.which(name);
    if (path !== null) return { command: [path, ...flags], env: {} };
  }
  return fetched();
}

function fetched(): Chromium {
  const home = `${cache}/chromium`;
  if (!existsSync(`${home}/node_modules/@sparticuz/chromium`)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(`${home}/package.json`, '{"private":true,"type":"module"}');
    run(["npm", "install", "--no-audit", "--no-fund", `@sparticuz/chromium@${version}`], home, {});
  }
  // It unpacks itself into the temporary folder, with libraries for systems that lack them.
  const script = `
    import chromium, { inflate } from "@sparticuz/chromium";
    console.log(await chromium.executablePath());
    console.log(await inflate("node_modules/@sparticuz/chromium/bin/al2023.tar.br"));`;
  const env = { TMPDIR: home };
  const [path = "", libraries = ""] = run(["node", "--input-type=module", "-e", script], home, env).split("\n");
  const lacks = /not found/.test(run(["ldd", path], home, {}));
  return {
    command: [path, ...flags, "--single-process", "--no-zygote"],
    env: { TMPDIR: home, ...(lacks && { LD_LIBRARY_PATH: `${libraries}/lib` }) },
  };
}

function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): string {
  const done = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...env }, stderr: "pipe" });
  if (!done.success) throw new Error(`${command[0]} failed: ${done.stderr.toString()}`);
  return done.stdout.toString().trim();
}
