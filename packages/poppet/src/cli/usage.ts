/**
 * What is said about wrong usage: one line that names the nearest right spelling among what fits where the word stands,
 * and where a command is that exists elsewhere.
 */
import {
  AliasNotFoundError,
  ArgumentParseError,
  type ArgumentScannerError,
  type Command,
  EnumValidationError,
  FlagNotFoundError,
  type RouteMap,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import { hint } from "../nearest.ts";
import { commands } from "./commands.ts";
import type { Program } from "./program.ts";

type Target = RouteMap<Program> | Command<Program>;

interface Place {
  /** What leads there: `["chat", "sessions"]`. */
  readonly path: readonly string[];
  readonly target: Target;
}

/** Placeholders that stand for a text, which may have been meant to have several words. */
const texts: ReadonlySet<string> = new Set(["MESSAGE", "QUERY", "TITLE"]);

/** For a word, or a flag, that stands where a command should. */
export function unknownWord(word: string, given: readonly string[]): string {
  const place = placeOf(given);
  const { path } = place;
  if (word.startsWith("-")) {
    // What follows the sign may be a key.
    const flag = word.replace(/=.*/s, "");
    return unknownFlag(flag, place) ?? `unknown flag ${flag}; a command's flags go after it${seeHelp(path)}`;
  }
  const here = [...entriesOf(place.target).map(([name]) => name), ...(path.length === 0 ? ["help"] : [])];
  const near = hint(word, here);
  if (near !== "") return `unknown command "${word}"${near}`;
  const elsewhere = pathsTo(word, commands).map((found) => `; there is "${found}"`);
  return `unknown command "${word}"${elsewhere[0] ?? ""}${seeHelp(path)}`;
}

/** For arguments that do not fit the command that they name. */
export function wrongArguments(error: ArgumentScannerError, given: readonly string[]): string {
  const place = placeOf(given);
  if (error instanceof FlagNotFoundError) {
    const flag = dashed(error.input);
    return unknownFlag(flag, place) ?? `unknown flag ${flag}; a text that begins with a dash goes after --`;
  }
  if (error instanceof AliasNotFoundError) return `unknown flag -${error.input}${seeHelp(place.path)}`;
  if (error instanceof UnexpectedPositionalError) return unexpected(error, place);
  if (error instanceof UnsatisfiedPositionalError) return `missing ${error.placeholder}${seeHelp(place.path)}`;
  if (error instanceof UnsatisfiedFlagError) {
    const flag = dashed(error.externalFlagName);
    return given.includes(flag)
      ? `${flag} needs a value${seeHelp(place.path)}`
      : `missing ${flag}${seeHelp(place.path)}`;
  }
  if (error instanceof ArgumentParseError) {
    const why = error.exception instanceof Error ? error.exception.message : "cannot be read";
    return `${dashed(error.externalFlagNameOrPlaceholder)} "${error.input}": ${why}`;
  }
  if (error instanceof EnumValidationError) {
    const known = `must be one of ${error.values.join(", ")}`;
    return `${dashed(error.externalFlagName)} "${error.input}": ${known}${hint(error.input, error.values)}`;
  }
  return error.message;
}

function unexpected({ input, expectedCount }: UnexpectedPositionalError, { path, target }: Place): string {
  if (/^--[a-z-]+=$/i.test(input)) return `${input.slice(0, -1)} needs a value${seeHelp(path)}`;
  const positional = commandOf(target)?.parameters.positional;
  const last = positional?.kind === "tuple" ? positional.parameters.at(-1)?.placeholder : undefined;
  if (last !== undefined && texts.has(last)) return `unexpected "${input}": put a text of several words in quotes`;
  const takes = expectedCount === 0 ? "takes no argument" : "takes no more arguments";
  return `unexpected "${input}": poppet ${path.join(" ")} ${takes}`;
}

/** Null where no flag that may stand there is near. */
function unknownFlag(flag: string, { path, target }: Place): string | null {
  const own = Object.keys(commandOf(target)?.parameters.flags ?? {}).map(
    (name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
  const near = hint(flag, [...own, "--help", ...(path.length === 0 ? ["--version"] : [])]);
  return near === "" ? null : `unknown flag ${flag}${near}`;
}

function placeOf(given: readonly string[]): Place {
  const path: string[] = [];
  let target: Target = commands;
  for (const word of given) {
    const next: Target | undefined = entriesOf(target).find(([name]) => name === word)?.[1];
    if (next === undefined) break;
    path.push(word);
    target = next;
  }
  return { path, target };
}

function pathsTo(word: string, target: Target): readonly string[] {
  return entriesOf(target).flatMap(([name, inner]) => [
    ...(name === word ? [name] : []),
    ...pathsTo(word, inner).map((found) => `${name} ${found}`),
  ]);
}

function entriesOf(target: Target): readonly (readonly [string, Target])[] {
  if (!("getAllEntries" in target)) return [];
  return target.getAllEntries().map((entry) => [entry.name["convert-camel-to-kebab"], entry.target]);
}

function commandOf(target: Target): Command<Program> | undefined {
  return "getAllEntries" in target ? target.getDefaultCommand() : target;
}

function seeHelp(path: readonly string[]): string {
  return `; see ${["poppet", ...path].join(" ")} --help`;
}

function dashed(flag: string): string {
  return flag.startsWith("-") ? flag : `--${flag}`;
}
