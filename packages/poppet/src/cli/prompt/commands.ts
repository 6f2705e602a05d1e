/**
 * What may follow a slash at the prompt: a table of commands, which a surface gives it, and how a line names one. Only
 * the first character of what was typed makes a command, and a name that is not in the table makes none.
 */
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

/** The command that the text names, with what follows the name. */
export function commandIn<Command extends PromptCommand>(
  text: string,
  commands: readonly Command[],
): { readonly command: Command; readonly args: string } | null {
  const found = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text);
  const command = commands.find((one) => one.name === found?.[1]);
  return command === undefined ? null : { command, args: found?.[2] ?? "" };
}

export function usageOf({ name, argument }: PromptCommand): string {
  if (argument === null) return `/${name}`;
  return argument.optional ? `/${name} [${argument.placeholder}]` : `/${name} ${argument.placeholder}`;
}
