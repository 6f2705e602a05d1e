/**
 * The one place that looks for a command, and only in the text that it is handed. What is no command is left alone, so
 * there is no mode and no escape to learn: hand it what a person typed and nothing else.
 */
import type { ChatClient } from "../chat-client.ts";
import { abortError, ChatError, CommandUnavailableError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { CommandSet } from "./command.ts";

/** Not handled: the text names no command, and nothing was done. */
export type CommandOutcome =
  | { readonly handled: false }
  | { readonly handled: true; readonly text: string; readonly changed: boolean; readonly data: Json | null };

const notHandled: CommandOutcome = { handled: false };
const verb = /^\/([A-Za-z0-9_-]{1,64})(?!\S)/;

/** A command and what was typed after it. */
export interface ParsedCommand<Named> {
  readonly command: Named;
  readonly args: string;
}

/**
 * The command that the text names, or null, in a `CommandSet` or another table of names. `/` is its first character, the verb follows directly and ends at white
 * space or at the end. `args` is what comes after that one white space, unchanged. Text that begins with white space
 * names no command.
 */
export function parseCommand<Named>(
  commands: { get(name: string): Named | undefined },
  text: string,
): ParsedCommand<Named> | null {
  const name = text.charCodeAt(0) === 47 ? verb.exec(text)?.[1] : undefined;
  const command = name === undefined ? undefined : commands.get(name);
  return command && name !== undefined ? { command, args: text.slice(name.length + 2) } : null;
}

/**
 * Runs the command that the text names, if it names one. Throws only for a command that it names, and `option_invalid`
 * for what is no text, such as a body that was not checked.
 */
export async function runCommand<Client = ChatClient>(
  client: Client,
  commands: CommandSet<NoInfer<Client>>,
  text: string,
  call: { readonly signal?: AbortSignal } = {},
): Promise<CommandOutcome> {
  if (typeof text !== "string") throw new ChatError("option_invalid", "What was typed has to be a text.");
  const parsed = parseCommand(commands, text);
  if (!parsed) return notHandled;
  const { command, args } = parsed;
  const signal = call.signal ?? new AbortController().signal;
  if (signal.aborted) throw abortError(signal.reason, `/${command.name}`);
  const reason = command.unavailable?.(client) ?? null;
  if (reason !== null) throw new CommandUnavailableError(command.name, reason);
  const { text: said, changed = false, data = null } = await command.run({ client, args, set: commands, signal });
  return { handled: true, text: said, changed, data };
}
