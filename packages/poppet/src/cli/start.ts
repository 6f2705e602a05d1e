/**
 * One command from its arguments to its exit code: 0 done, 1 failed, 2 wrong usage, 128 + n for a signal. A failure is one
 * line on stderr. Both outputs are written out before it returns.
 */
import type { Environment } from "../config/location.ts";
import { exitCodeOf, failureLine } from "./failure.ts";
import { openOutput } from "./output.ts";
import type { Parts } from "./parts.ts";
import type { Program } from "./program.ts";
import { type Command, plainCommand } from "./quick.ts";

export interface Start {
  readonly arguments: readonly string[];
  readonly env: Environment;
  readonly version: string;
  readonly parts: Parts;
}

/** Throws nothing. */
export async function runProgram(start: Start): Promise<number> {
  let complaint: string | undefined;
  const program = openProgram(start, (line) => {
    complaint ??= line;
  });
  let code: number;
  const plain = await withoutParser(start);
  if (plain !== null) {
    code = await runPlain(plain, program);
  } else {
    const { runCommand } = await import("./app.ts");
    code = await runCommand(start.arguments, start.version, program);
    // The parser lists all that is wrong; a person reads the first.
    if (complaint !== undefined) program.stderr.write(complaint);
  }
  return finish(program, code);
}

/** A command that needs no parser, or the refusal of arguments that are not what was given; null: ask the parser. */
async function withoutParser({ arguments: given, version }: Start): Promise<Command | null> {
  if (given.some((argument) => argument.includes("\ufffd"))) {
    const { brokenArgument } = await import("./argument-bytes.ts");
    const broken = await brokenArgument(given);
    if (broken !== null) return () => Promise.reject(broken);
  }
  return plainCommand(given, version);
}

async function runPlain(command: Command, program: Program): Promise<number> {
  try {
    await command(program);
    return Number(program.process.exitCode ?? 0);
  } catch (thrown) {
    program.stderr.write(`${failureLine(thrown)}\n`);
    return Number(program.process.exitCode ?? exitCodeOf(thrown));
  }
}

/** A reader that left early wanted no more: that is no failure. */
async function finish(program: Program, code: number): Promise<number> {
  try {
    await program.stdout.flush();
    await program.stderr.flush();
    return code;
  } catch (thrown) {
    if (code !== 0) return code;
    program.stderr.write(`${failureLine(thrown)}\n`);
    await program.stderr.flush();
    return exitCodeOf(thrown);
  }
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
  return () => {
    made ??= make();
    return made;
  };
}
