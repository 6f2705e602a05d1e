/**
 * Commands: what people may do to a conversation by typing a verb. A command carries verbs, not settings: who types is
 * not always who configured the client, and must not be able to choose a model, a prompt, a budget or an endpoint.
 */
import type { ChatClient } from "../chat-client.ts";
import { ChatError } from "../errors.ts";
import type { Json } from "../json.ts";

/** `Client` is what it needs of one: a command for less serves every client that has more. */
export interface Command<Client = ChatClient> {
  /** 1 to 64 of `A-Z a-z 0-9 - _`, without the slash; capital and small letters are different. */
  readonly name: string;
  /** What `/help` says of it: a few words. */
  readonly summary: string;
  /** Why it cannot run for this client, or null. Default: it always can. */
  unavailable?(client: Client): string | null;
  /** Throws what goes wrong, and leaves the conversation as it was. Stops at `signal`. */
  run(request: CommandRequest<Client>): Promise<CommandResult>;
}

/** What `run` gets. */
export interface CommandRequest<Client = ChatClient> {
  readonly client: Client;
  /** Everything after the verb but the one white space that ends it. */
  readonly args: string;
  /** The whole vocabulary. */
  readonly set: CommandSet<Client>;
  readonly signal: AbortSignal;
}

/** What `run` gives. */
export interface CommandResult {
  /** For the person who typed. */
  readonly text: string;
  /** The conversation was altered: whoever shows it should read it again. Default: false. */
  readonly changed?: boolean;
  /** For programs. Default: null. */
  readonly data?: Json;
}

/** Made by `commandSet`; in the order given. */
export interface CommandSet<Client = ChatClient> extends Iterable<Command<Client>> {
  get(name: string): Command<Client> | undefined;
}

/** Checks a command's name, and types its `run`. */
export function defineCommand<Client = ChatClient>(command: Command<Client>): Command<Client> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(command.name)) {
    const name = JSON.stringify(command.name);
    throw new ChatError(
      "option_invalid",
      `${name} is no command name: use 1 to 64 of A-Z a-z 0-9 - _, without a slash.`,
    );
  }
  return command;
}

/** A vocabulary, in the order given. Two commands of one name are refused with `command_duplicate`. */
export function commandSet<Client = ChatClient>(commands: readonly Command<NoInfer<Client>>[]): CommandSet<Client> {
  const byName = new Map<string, Command<Client>>();
  for (const command of commands) {
    const { name } = defineCommand(command);
    if (byName.has(name)) throw new ChatError("command_duplicate", `There are two commands /${name}. Rename one.`);
    byName.set(name, command);
  }
  return { get: (name) => byName.get(name), [Symbol.iterator]: () => byName.values() };
}
