/** Findings as lines: what was found and, where it is wrong, what to do; then exit 1. */
import { cleanLine } from "../clean.ts";
import type { Finding } from "../finding.ts";
import type { Program } from "./program.ts";

export async function printFindings(
  program: Program,
  findings: Iterable<Finding> | AsyncIterable<Finding>,
): Promise<void> {
  for await (const { ok, subject, message } of findings) {
    if (!ok) program.process.exitCode = 1;
    program.stdout.write(`${ok ? "ok   " : "wrong"}  ${cleanLine(subject)}: ${cleanLine(message)}\n`);
    await program.stdout.flush();
  }
}
