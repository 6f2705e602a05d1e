#!/usr/bin/env -S bun --config=/dev/null --no-env-file --no-install
/**
 * The program's start: arguments and environment in, exit code out. The first line keeps Bun from obeying the files of
 * the folder that a person happens to be in: `bunfig.toml` runs code, `.env` moves the settings.
 */
import { version } from "../package.json" with { type: "json" };
import { parts } from "./parts.ts";

async function main(given: readonly string[]): Promise<number> {
  const { runProgram } = await import("./cli/start.ts");
  return runProgram({ arguments: given, env: Bun.env, version, parts });
}

// What Poppet makes is for its owner alone: also what SQLite makes by itself.
process.umask(0o077);
// No await at the top level: the built program is bytecode, which cannot have it.
main(Bun.argv.slice(2)).then((code) => process.exit(code));
