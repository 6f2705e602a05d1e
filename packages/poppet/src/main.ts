#!/usr/bin/env bun
import { version } from "../package.json" with { type: "json" };
/** The program's start: arguments and environment in, exit code out. `--version` answers before anything is loaded. */
import { parts } from "./parts.ts";

const given = Bun.argv.slice(2);
if (given.length === 1 && /^(-v|--?version)$/.test(given[0] ?? "")) {
  await Bun.write(Bun.stdout, `${version}\n`);
} else {
  const { runProgram } = await import("./cli/start.ts");
  process.exit(await runProgram({ arguments: given, env: Bun.env, version, parts }));
}
