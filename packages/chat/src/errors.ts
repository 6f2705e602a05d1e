/**
 * Every failure that the library reports. `code` is stable and is what programs look at; `message` is for people and
 * says what happened and what to do; `details` are figures (`{limit: 131072, actual: 131073}`), never a secret.
 */
import type { ChatErrorCode } from "./error-codes.ts";
import type { Json } from "./json.ts";

const marker = Symbol.for("@poppet/chat.error");

/**
 * A failure with a stable code. `message` is one line for people, `cause` what was thrown, `details` figures such as
 * `{limit, actual}`.
 */
export class ChatError extends Error {
  override readonly name: string = "ChatError";
  readonly code: ChatErrorCode;
  readonly details: { readonly [key: string]: Json };

  constructor(
    code: ChatErrorCode,
    message: string,
    options: { details?: { readonly [key: string]: Json }; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, marker, { value: true });
  }

  /** Holds across two copies of the package, where `instanceof` does not. */
  static isInstance(value: unknown): value is ChatError {
    return typeof value === "object" && value !== null && (value as { [marker]?: unknown })[marker] === true;
  }
}

/** The transcript's tip is no longer the one that the edit was computed from; nothing was written. */
export class TranscriptMovedError extends ChatError {
  override readonly name = "TranscriptMovedError";
  constructor() {
    super("transcript_moved", "The conversation changed in the meantime; nothing was edited. Try again.");
  }
  static override isInstance(value: unknown): value is TranscriptMovedError {
    return ChatError.isInstance(value) && value.code === "transcript_moved";
  }
}

/** No entry of this transcript has the ID. */
export class TranscriptEntryError extends ChatError {
  override readonly name = "TranscriptEntryError";
  constructor(id: string) {
    super("transcript_entry", `No entry ${JSON.stringify(id)} in this transcript.`, { details: { id } });
  }
  static override isInstance(value: unknown): value is TranscriptEntryError {
    return ChatError.isInstance(value) && value.code === "transcript_entry";
  }
}

/** The command is there, but not for this client; `reason` says why, as `/help` does. */
export class CommandUnavailableError extends ChatError {
  override readonly name = "CommandUnavailableError";
  constructor(command: string, reason: string) {
    super("command_unavailable", `/${command} cannot be used here: ${reason}`, { details: { command, reason } });
  }
  static override isInstance(value: unknown): value is CommandUnavailableError {
    return ChatError.isInstance(value) && value.code === "command_unavailable";
  }
}

/** What a signal's reason comes to: itself where it is a ChatError, else `aborted`. */
export function abortError(reason: unknown, what = "The call"): ChatError {
  return ChatError.isInstance(reason) ? reason : new ChatError("aborted", `${what} was stopped.`, { cause: reason });
}

/** The words of anything thrown. */
export function messageOf(thrown: unknown): string {
  const said = (thrown as { readonly message?: unknown } | null | undefined)?.message;
  if (typeof said === "string" && said !== "") return said;
  if (thrown instanceof Error) return thrown.name;
  try {
    return String(thrown);
  } catch {
    return "something without words";
  }
}
