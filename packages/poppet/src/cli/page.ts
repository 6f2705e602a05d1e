/**
 * Text for people to stdout: through their pager where it is longer than the screen, straight anywhere else. A pager that
 * is left early is no failure, and one that cannot be started is done without.
 */
import type { Environment } from "../config/location.ts";
import type { Program } from "./program.ts";

export async function printPaged(program: Program, text: string): Promise<void> {
  const terminal = await program.terminal();
  const able = terminal.stdout && !terminal.dumb && (program.env.TERM ?? "") !== "";
  const long = able && isLonger(text, terminal.columns(), terminal.rows());
  const command = long ? pagerCommand(program.env) : null;
  if (command !== null && (await runPager(command, text, program))) return;
  program.stdout.write(text);
  await program.stdout.flush();
}

/** What the pager is by the environment, as git asks it; null where there is none. */
export function pagerCommand(env: Environment, find: (name: string) => string | null = onPath(env)): string | null {
  const command = (env.POPPET_PAGER ?? env.PAGER ?? (find("less") === null ? "" : "less -FRX")).trim();
  return command === "" || command === "cat" ? null : command;
}

function onPath(env: Environment): (name: string) => string | null {
  return (name) => Bun.which(name, { PATH: env.PATH ?? "" });
}

/** Whether the text, and the prompt that follows it, take more than the screen. */
export function isLonger(text: string, columns: number, rows: number): boolean {
  let used = 1;
  for (const line of text.trimEnd().split("\n")) {
    // A tab takes up to eight columns, and none by its own measure.
    used += Math.max(1, Math.ceil(Bun.stringWidth(line.replaceAll("\t", "        ")) / columns));
    if (used > rows) return true;
  }
  return false;
}

/** What the shell ends with where it cannot start a command. */
const notStarted: readonly (number | null)[] = [126, 127];

/**
 * Runs the pager to its end; false where it could not be started. Keys that make signals, such as Ctrl-C, are the
 * pager's meanwhile. A signal that ends this process ends the pager too, so that none is left behind on the terminal.
 */
async function runPager(command: string, text: string, program: Program): Promise<boolean> {
  await program.stdout.flush();
  let end = (_by: "SIGTERM" | "SIGHUP") => {};
  const listeners = {
    SIGINT: () => {},
    SIGQUIT: () => {},
    SIGTERM: () => end("SIGTERM"),
    SIGHUP: () => end("SIGHUP"),
  } as const;
  const names = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, listeners[name]);
  try {
    const pager = startPager(command, text, program.env);
    if (pager === null) return false;
    end = (by) => {
      program.process.exitCode = by === "SIGTERM" ? 143 : 129;
      pager.kill(by);
    };
    await pager.exited;
    return !notStarted.includes(pager.exitCode);
  } finally {
    for (const name of names) process.off(name, listeners[name]);
  }
}

/** `LESS` is set where it is not, so that `less` shows colours, as git does. */
function startPager(command: string, text: string, env: Environment): Bun.Subprocess | null {
  try {
    return Bun.spawn(["/bin/sh", "-c", inShell(command)], {
      env: { ...env, LESS: env.LESS ?? "FRX" },
      stdin: new Blob([text]),
      stdout: "inherit",
      stderr: "inherit",
    });
  } catch {
    return null;
  }
}

/**
 * The shell gives the command its arguments. Where it is one command, the shell gives way to it, so that a signal reaches
 * the pager itself; `env` because variables may be set in front of it.
 */
function inShell(command: string): string {
  return /[|&;<>(){}`\n#]/.test(command) ? command : `exec env ${command}`;
}
