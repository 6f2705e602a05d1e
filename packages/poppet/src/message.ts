/** What a message must be to be accepted, whichever way it comes: text with something in it. */
import { PoppetError } from "./error.ts";

export function checkMessage(text: string): void {
  if (text.trim() === "") {
    throw new PoppetError("message_invalid", "The message is empty. Give one in quotes, or pipe it in.");
  }
  if (text.includes("\0")) {
    throw new PoppetError("message_invalid", "The message contains a NUL character, so it is no text; remove it.");
  }
}
