/**
 * The parser of the command line: what `commands.ts` describes, run by Stricli, with every complaint about wrong usage as
 * one line that names the nearest right spelling.
 */
import {
  type ApplicationText,
  ArgumentParseError,
  ArgumentScannerError,
  buildApplication,
  EnumValidationError,
  ExitCode,
  FlagNotFoundError,
  run,
  text_en,
  UnexpectedPositionalError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import { hint } from "../nearest.ts";
import { normalizeArguments } from "./arguments.ts";
import { commands } from "./commands.ts";
import { exitCodeOf, failureLine } from "./failure.ts";
import type { Program } from "./program.ts";
import { cleanLine } from "./render/clean.ts";

/** Runs the command that the arguments name and returns its exit code. Throws nothing. */
export async function runCommand(given: readonly string[], version: string, program: Program): Promise<number> {
  const application = buildApplication(commands, {
    name: "poppet",
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "convert-camel-to-kebab", disableAnsiColor: true, useAliasInUsageLine: false },
    localization: { text },
    determineExitCode: exitCodeOf,
  });
  if (given[0] === "__complete") {
    const { complete } = await import("./complete.ts");
    await complete(application, given.slice(1), program);
    return 0;
  }
  const asked = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  await run(application, normalizeArguments(asked), program);
  const code = Number(program.process.exitCode ?? 0);
  if (code === ExitCode.UnknownCommand || code === ExitCode.InvalidArgument) return 2;
  // Other negative codes are the parser's for a fault of ours.
  return code < 0 ? 1 : code;
}

const text: ApplicationText = {
  ...text_en,
  noCommandRegisteredForInput: ({ input, corrections }) =>
    complaint(
      `unknown command "${input}"${meant(corrections.map((word) => word.replaceAll("`", ""))) || "; see poppet --help"}`,
    ),
  exceptionWhileParsingArguments: (thrown) =>
    thrown instanceof ArgumentScannerError ? complaint(usageWords(thrown)) : failureLine(thrown),
  exceptionWhileLoadingCommandFunction: failureLine,
  exceptionWhileLoadingCommandContext: failureLine,
  exceptionWhileRunningCommand: failureLine,
  commandErrorResult: failureLine,
};

function usageWords(error: ArgumentScannerError): string {
  if (error instanceof FlagNotFoundError) {
    return `unknown flag ${dashed(error.input)}${meant(error.corrections.map(dashed)) || "; a text that begins with a dash goes after --"}`;
  }
  if (error instanceof UnexpectedPositionalError) {
    return `unexpected "${error.input}": put a text of several words in quotes`;
  }
  if (error instanceof UnsatisfiedPositionalError) return `missing ${error.placeholder}; see --help`;
  if (error instanceof ArgumentParseError) {
    const why = error.exception instanceof Error ? error.exception.message : "cannot be read";
    return `${dashed(error.externalFlagNameOrPlaceholder)} "${error.input}": ${why}`;
  }
  if (error instanceof EnumValidationError) {
    const known = `must be one of ${error.values.join(", ")}`;
    return `${dashed(error.externalFlagName)} "${error.input}": ${known}${hint(error.input, error.values)}`;
  }
  return error.message.replace(/^Expected input for flag /, "missing ");
}

function dashed(flag: string): string {
  return flag.startsWith("-") ? flag : `--${flag}`;
}

function meant(corrections: readonly string[]): string {
  return corrections[0] === undefined ? "" : `; did you mean "${corrections[0]}"?`;
}

function complaint(words: string): string {
  return `poppet: ${cleanLine(words)}`;
}
