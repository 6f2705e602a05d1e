/**
 * What may follow a slash at the prompt: a table of commands, which a surface gives it, and how a line names one. Only
 * the first character of what was typed makes a command, and a name that is not in the table makes none.
 */
import { type ParsedCommand, parseCommand } from "@poppet/chat";

export interface PromptCommand {
  readonly name: string;
  readonly summary: string;
  readonly argument: Argument | null;
}

export interface Argument {
  readonly placeholder: string;
  readonly optional: boolean;
  /** What it can be completed to. */
  choices(partial: string): Promise<readonly Choice[]>;
}

export interface Choice {
  readonly value: string;
  /** Beside it in the menu. */
  readonly about: string;
}

/** The command that the text names, by the library's rule, with what follows the name. */
export function commandIn<Command extends PromptCommand>(
  text: string,
  commands: readonly Command[],
): ParsedCommand<Command> | null {
  return parseCommand({ get: (name) => commands.find((command) => command.name === name) }, text);
}

export function usageOf({ name, argument }: PromptCommand): string {
  if (argument === null) return `/${name}`;
  return argument.optional ? `/${name} [${argument.placeholder}]` : `/${name} ${argument.placeholder}`;
}
