/**
 * `chat interactive` as a person has it: in a pseudo-terminal, alone or started by a shell with job control. Nothing that
 * it wrote may clear the screen or the scrollback: that is looked at when it is closed.
 */
import { expect } from "bun:test";
import type { Home } from "../../program/home.ts";
import { program } from "../../program/home.ts";
import { openPty, type Pty, type PtyOptions } from "../../pty.ts";

/** A model that is configured, for an assistant that plays a script and asks none. */
export const chosen = { POPPET_PROVIDER: "openai", POPPET_MODEL: "test-model" } as const;

/** The prompt waits, with nothing in its line. */
export const prompting = /(^|\n)You>$/;

export function openTalk(home: Home, given: readonly string[] = [], options: PtyOptions = {}): Pty {
  return guarded(home.terminal(["chat", "interactive", ...given], options));
}

/** The same under a shell, whose prompt is `$ `; `parent` is a command that starts it. */
export async function openShellTalk(
  home: Home,
  given: readonly string[] = [],
  parent: readonly string[] = [],
): Promise<Pty> {
  const pty = guarded(
    openPty(["bash", "--norc", "--noprofile", "-i"], {
      columns: 300,
      env: { ...home.env, PS1: "$ ", HISTFILE: "" },
    }),
  );
  await pty.shows(/\$$/);
  const words = [...parent, ...program, "chat", "interactive", ...given];
  pty.type(`${words.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(" ")}\r`);
  await pty.shows(prompting);
  return pty;
}

/** Types a message at the waiting prompt and waits until what comes after its answer asks for the next. */
export async function say(pty: Pty, message: string): Promise<void> {
  await pty.shows(prompting);
  const before = (await pty.screen()).split("You>").length;
  pty.type(`${message}\r`);
  await pty.shows(new RegExp(`(?:[\\s\\S]*?You>){${before}}$`));
}

/** Ends the talk at its prompt and returns the exit code. */
export async function leave(pty: Pty): Promise<number> {
  await pty.shows(prompting);
  pty.type("/exit\r");
  return pty.exited();
}

export async function sessionsOf(
  home: Home,
): Promise<readonly { readonly id: string; readonly title: string | null }[]> {
  const { stdout } = await home.poppet("chat", "sessions", "--json");
  return JSON.parse(stdout).sessions;
}

function guarded(pty: Pty): Pty {
  const close = pty[Symbol.asyncDispose];
  return {
    ...pty,
    async [Symbol.asyncDispose]() {
      await close.call(pty);
      expect(pty.raw()).not.toMatch(/\x1b\[[23]J|\x1bc|\x1b\[\?1049/);
    },
  };
}
