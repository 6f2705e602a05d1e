/** Anything thrown, as the one line that a person reads and the exit code. */
import { cleanLine } from "../clean.ts";
import { PoppetError } from "../error.ts";

export function failureLine(thrown: unknown): string {
  if (PoppetError.isInstance(thrown) || isChatError(thrown)) return `poppet: ${cleanLine(thrown.message)}`;
  const words = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return `poppet: internal error: ${cleanLine(words)}; please report it`;
}

export function exitCodeOf(thrown: unknown): number {
  return PoppetError.isInstance(thrown) ? thrown.exitCode : 1;
}

/** By its fields: the library is not loaded only to ask. */
function isChatError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && "code" in thrown && "details" in thrown;
}
