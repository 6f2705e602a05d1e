/**
 * Every failure that the library reports. `code` is stable and is what programs look at; `message` is for people and
 * says what happened and what to do; `details` are figures (`{limit: 131072, actual: 131073}`), never a secret.
 */
import type { Json } from "./json.ts";

/** What a provider or the network between did wrong, sorted once for every protocol. */
const providerErrorCodes = [
  "provider_not_configured",
  "provider_auth",
  "provider_permission",
  "model_not_found",
  "provider_rate_limit",
  "provider_quota",
  "context_too_large",
  "answer_filtered",
  "provider_overloaded",
  "provider_server",
  "provider_rejected",
  "provider_network",
  "request_deadline",
  "provider_malformed",
  "answer_empty",
  "answer_unfinished",
] as const;
export type ProviderErrorCode = (typeof providerErrorCodes)[number];

/** Every code there is; docs/errors.md says of each when it comes and what to do. */
export const chatErrorCodes = [
  ...providerErrorCodes,
  "model_unsupported",
  "transcript_moved",
  "transcript_entry",
  "context_overflow",
  "answer_too_large",
  "record_too_large",
  "answer_truncated",
  "turn_deadline",
  "step_limit",
  "tool_call_limit",
  "tool_duplicate",
  "tool_unknown",
  "tool_input",
  "tool_refused",
  "tool_failed",
  "aborted",
] as const;
export type ChatErrorCode = (typeof chatErrorCodes)[number];

const marker = Symbol.for("@poppet/chat.error");

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
}

/** No entry of this transcript has the ID. */
export class TranscriptEntryError extends ChatError {
  override readonly name = "TranscriptEntryError";
  constructor(id: string) {
    super("transcript_entry", `No entry ${JSON.stringify(id)} in this transcript.`, { details: { id } });
  }
}

/** The words of anything thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "string" ? thrown : String(thrown);
}
