/** The program with a tool as a process that a test interrupts: on pipes by a signal, or on a terminal by Ctrl-C. */
import { join } from "node:path";
import { apiKey } from "../model-server/index.ts";
import { startChild } from "../program/child.ts";
import { openPty } from "../pty.ts";
import type { Choice, Rig } from "./setup.ts";

export interface Running extends AsyncDisposable {
  /** When stdout or stderr has this in it. */
  until(text: string): Promise<void>;
  interrupt(): void;
  /** The exit code, when nobody holds the output open any more. */
  exited(): Promise<number>;
  /** All of stdout, then all of stderr; on a terminal as they came. */
  output(): string;
}

export type Interrupt = "Ctrl-C" | "SIGINT" | "SIGTERM" | "SIGHUP";

/** What the program says, and what the run's record says. */
export const reasons: { readonly [How in Interrupt]: string } = {
  "Ctrl-C": "Stopped by Ctrl-C.",
  SIGINT: "Stopped by Ctrl-C.",
  SIGTERM: "Stopped by SIGTERM.",
  SIGHUP: "Stopped because the terminal was closed.",
};

export const exitCodes: { readonly [How in Interrupt]: number } = {
  "Ctrl-C": 130,
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/** The key in every variable that may have it: a settings file would be in the folder that must not have it. */
const keys = Object.fromEntries(
  ["OPENAI_API_KEY", "OPENAI_COMPATIBLE_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"].map((name) => [name, apiKey]),
);

/** Writes the program's settings; the environment in which it uses the rig's folder and server. */
export async function environmentFor({ provider, model }: Choice, { home, server }: Rig, toolUrl = "") {
  const config = `${home}/config/config.toml`;
  await Bun.write(
    config,
    `provider = "${provider}"\nmodel = "${model}"\n[chat]\nlogReasoning = true\nnameSessions = false\n` +
      `[providers.${provider}]\nbaseUrl = "${server.baseUrl(provider)}"\n`,
  );
  const folders = { HOME: home, POPPET_HOME: home, POPPET_CONFIG: config };
  return { PATH: process.env.PATH ?? "", ...folders, TOOL_URL: toolUrl, ...keys };
}

export function runTold(
  given: readonly string[],
  env: { readonly [name: string]: string },
  interrupt: Interrupt,
): Running {
  const command = [process.execPath, join(import.meta.dir, "tool-program.ts"), ...given];
  return interrupt === "Ctrl-C" ? onTerminal(command, env) : onPipes(command, env, interrupt);
}

function onTerminal(command: readonly string[], env: { readonly [name: string]: string }): Running {
  const pty = openPty(command, { env });
  return {
    until: (text) => pty.until(text),
    interrupt: () => pty.type("\x03"),
    exited: () => pty.exited(),
    output: () => pty.raw(),
    [Symbol.asyncDispose]: () => pty[Symbol.asyncDispose](),
  };
}

function onPipes(
  command: readonly string[],
  env: { readonly [name: string]: string },
  signal: Exclude<Interrupt, "Ctrl-C">,
): Running {
  const child = startChild(command, { env });
  return {
    until: (text) => Promise.any([child.stdout.until(text), child.stderr.until(text)]),
    interrupt: () => child.kill(signal),
    exited: async () => (await child.ended()).code,
    output: () => child.stdout.text() + child.stderr.text(),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
