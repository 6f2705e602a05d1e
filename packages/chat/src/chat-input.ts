/** What a call is given, checked: a body that nobody looked at comes as far as here. */
import type { Call, ChatInput } from "./chat-client.ts";
import { abortError, ChatError } from "./errors.ts";
import { wellFormed } from "./json.ts";
import type { UserMessage } from "./messages.ts";

/** Throws `input_empty`, or `option_invalid` for what is no message. */
export function userMessage(given: ChatInput): UserMessage {
  const { text, sources = [] } = typeof given === "string" ? { text: given } : ((given ?? {}) as UserMessage);
  const isSource = (one: unknown) => hasText(one, "label") && hasText(one, "text");
  if (typeof text !== "string" || !Array.isArray(sources) || !sources.every(isSource)) {
    throw new ChatError("option_invalid", "This is no message: give text, or { text, sources: [{ label, text }] }.");
  }
  const blank = text.trim() === "";
  if (blank && sources.length === 0) throw new ChatError("input_empty", "The message is empty: say something.");
  // Providers refuse white space alone.
  const said = blank ? "" : text.toWellFormed();
  if (sources.length === 0) return { role: "user", text: said };
  // Its own: the caller's list may change.
  return { role: "user", text: said, sources: wellFormed(sources.map(({ label, text }) => ({ label, text }))) };
}

function hasText(value: unknown, name: string): boolean {
  return typeof (value as { readonly [name: string]: unknown } | null)?.[name] === "string";
}

/** Throws what the signal was aborted with, or `option_invalid` where it is none. */
export function checkSignal({ signal }: Call = {}): void {
  if (signal && typeof signal.addEventListener !== "function") {
    throw new ChatError("option_invalid", "signal is no AbortSignal: give the signal of an AbortController.");
  }
  if (signal?.aborted) throw abortError(signal.reason);
}
