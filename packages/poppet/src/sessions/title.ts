/** Titles of sessions: one line of at most 80 code points. */
import { cutCodePoints } from "@poppet/chat";

const titleLength = 80;

/** Bidirectional embeddings, overrides and isolates can make a line read as another. */
const invisible = /[\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text as one line, shortened; null where nothing readable is in it. */
export function titleOf(text: string): string | null {
  // The beginning is enough: a long message is not normalised whole for its first 80 characters.
  const line = cutCodePoints(text.trimStart(), 4000)
    .toWellFormed()
    .replace(invisible, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return line === "" ? null : cutCodePoints(line, titleLength).trimEnd();
}
