/**
 * `poppet`'s commands: what each takes and where its code is. A command's module is loaded when it runs. Here too: one
 * error is one line on stderr, and an exit code (0 done, 1 failed, 2 wrong usage; signals in `signals.ts`).
 */
import {
  type ApplicationText,
  ArgumentParseError,
  ArgumentScannerError,
  buildApplication,
  EnumValidationError,
  FlagNotFoundError,
  run,
  text_en,
  UnexpectedPositionalError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import type { Environment } from "../config/location.ts";
import { hint } from "../nearest.ts";
import { normalizeArguments } from "./arguments.ts";
import { commands } from "./commands.ts";
import { exitCodeOf, failureLine } from "./failure.ts";
import { openOutput } from "./output.ts";
import type { Parts } from "./parts.ts";
import type { Program } from "./program.ts";
import { cleanLine } from "./render/clean.ts";

export interface Start {
  readonly arguments: readonly string[];
  readonly env: Environment;
  readonly version: string;
  readonly parts: Parts;
}

/** Runs one command to its end, output included. Throws nothing. */
export async function runProgram(start: Start): Promise<number> {
  const application = buildApplication(commands, {
    name: "poppet",
    versionInfo: { currentVersion: start.version },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "convert-camel-to-kebab", disableAnsiColor: true, useAliasInUsageLine: false },
    localization: { text },
    determineExitCode: exitCodeOf,
  });
  const complaints: string[] = [];
  const program = openProgram(start, (line) => complaints.push(line));
  if (start.arguments[0] === "__complete") {
    const { complete } = await import("./complete.ts");
    await complete(application, start.arguments.slice(1), program);
    return finish(program, 0);
  }
  await run(application, normalizeArguments(start.arguments), program);
  const [complaint] = complaints;
  if (complaint !== undefined) program.stderr.write(complaint);
  return finish(program, Number(program.process.exitCode ?? 0));
}

/** Wrong usage comes from the parser as a negative code. A reader that left early wanted no more: that is no failure. */
async function finish(program: Program, code: number): Promise<number> {
  try {
    await program.stdout.flush();
    await program.stderr.flush();
  } catch (thrown) {
    program.stderr.write(`${failureLine(thrown)}\n`);
    await program.stderr.flush();
    return exitCodeOf(thrown);
  }
  if (code === -4 || code === -5) return 2;
  return code < 0 ? 1 : code;
}

function openProgram(start: Start, complain: (line: string) => void): Program {
  const { env, parts } = start;
  const stdout = openOutput(1);
  const stderr = openOutput(2);
  const terminal = once(async () => (await import("./terminal.ts")).openTerminal(env));
  const config = once(async () => (await import("../config/load.ts")).loadConfig(env));
  return {
    process: { stdout: { write: (text) => stdout.write(text) }, stderr: { write: complain } },
    env,
    parts,
    stdout,
    stderr,
    now: () => Date.now(),
    terminal,
    config,
    openAssistant: async () => parts.openAssistant(await config(), env),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
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
