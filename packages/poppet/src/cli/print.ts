/** JSON to stdout with its final newline. On a terminal what would steer it is escaped; the value stays the same. */
import { cleanJson } from "../clean.ts";
import type { Program } from "./program.ts";

export async function printJson(program: Program, json: string): Promise<void> {
  const onTerminal = (await program.terminal()).stdout;
  program.stdout.write(`${onTerminal ? cleanJson(json) : json}\n`);
  await program.stdout.flush();
}
