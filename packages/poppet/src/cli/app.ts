/**
 * The parser of the command line: what `commands.ts` describes, run by Stricli, with every complaint about wrong usage as
 * one line.
 */
import { type ApplicationText, ArgumentScannerError, buildApplication, ExitCode, run, text_en } from "@stricli/core";
import { cleanLine } from "../clean.ts";
import { normalizeArguments } from "./arguments.ts";
import { commands } from "./commands.ts";
import { exitCodeOf, failureLine } from "./failure.ts";
import type { Program } from "./program.ts";
import { unknownWord, wrongArguments } from "./usage.ts";

/** Runs the command that the arguments name and returns its exit code. Throws nothing. */
export async function runCommand(given: readonly string[], version: string, program: Program): Promise<number> {
  const asked = normalizeArguments(given[0] === "help" ? [...given.slice(1), "--help"] : given);
  const application = buildApplication(commands, {
    name: "poppet",
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "convert-camel-to-kebab", disableAnsiColor: true, useAliasInUsageLine: false },
    localization: { text: texts(asked) },
    determineExitCode: exitCodeOf,
  });
  if (given[0] === "__complete") {
    const { complete } = await import("./complete.ts");
    await complete(application, given.slice(1), program);
    return 0;
  }
  await run(application, asked, program);
  const code = Number(program.process.exitCode ?? 0);
  if (code === ExitCode.UnknownCommand || code === ExitCode.InvalidArgument) return 2;
  // Other negative codes are the parser's for a fault of ours.
  return code < 0 ? 1 : code;
}

function texts(given: readonly string[]): ApplicationText {
  return {
    ...text_en,
    noCommandRegisteredForInput: ({ input }) => complaint(unknownWord(input, given)),
    exceptionWhileParsingArguments: (thrown) =>
      thrown instanceof ArgumentScannerError ? complaint(wrongArguments(thrown, given)) : failureLine(thrown),
    exceptionWhileLoadingCommandFunction: failureLine,
    exceptionWhileLoadingCommandContext: failureLine,
    exceptionWhileRunningCommand: failureLine,
    commandErrorResult: failureLine,
  };
}

function complaint(words: string): string {
  return `poppet: ${cleanLine(words)}`;
}
