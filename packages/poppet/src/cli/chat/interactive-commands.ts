/** The commands of the interactive prompt. Anything else that begins with a slash is a message. */
import type { Program } from "../program.ts";
import { type Choice, type PromptCommand, usageOf } from "../prompt/commands.ts";
import { relativeTime } from "../render/time.ts";
import type { NewSession, Start } from "./interactive-start.ts";

export interface Command extends PromptCommand {
  /** `args` is what follows the name. */
  run(args: string): Effect;
}

/** What comes of a command. */
export type Effect =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "session"; readonly session: Start }
  | { readonly type: "leave" };

const mostSessions = 50;

/** `fresh` is what a new session is like. */
export function interactiveCommands(program: Program, fresh: NewSession): readonly Command[] {
  const commands: readonly Command[] = [
    {
      name: "help",
      summary: "say what the prompt can do",
      argument: null,
      run: () => ({ type: "say", text: helpText(commands) }),
    },
    {
      name: "new",
      summary: "go on in a new session",
      argument: null,
      run: () => ({ type: "session", session: fresh }),
    },
    {
      name: "resume",
      summary: "go on in a saved session",
      argument: { placeholder: "ID", optional: false, choices: () => sessionChoices(program) },
      run(args) {
        const sessionId = args.trim();
        if (sessionId !== "") return { type: "session", session: { sessionId } };
        return { type: "say", text: "Which session? Give its ID; Tab completes it, also by a part of the title.\n" };
      },
    },
    { name: "exit", summary: "leave; Ctrl-D does it too", argument: null, run: () => ({ type: "leave" }) },
  ];
  return commands;
}

async function sessionChoices(program: Program): Promise<readonly Choice[]> {
  const assistant = await program.openAssistant();
  try {
    const sessions = await assistant.sessions({ limit: mostSessions });
    return sessions.map(({ id, title, updatedAt }) => ({
      value: id,
      about: `${title ?? "(unnamed)"}  ${relativeTime(updatedAt, program.now())}  ${id}`,
    }));
  } finally {
    await assistant.close();
  }
}

function helpText(commands: readonly Command[]): string {
  const rows = [
    ...commands.map((command) => [usageOf(command), command.summary] as const),
    ["Tab", "completes commands, their arguments, and file names after @"] as const,
    ["Up, Ctrl-R", "older lines of this conversation; search in them"] as const,
    ["Ctrl-U", "clear the line"] as const,
    ["Ctrl-C", "stop an answer and leave"] as const,
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, what]) => `${name.padEnd(width)}  ${what}\n`).join("");
}
