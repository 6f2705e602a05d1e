/** Titles of sessions: one line of at most 80 code points. */
import { cutCodePoints } from "@poppet/chat";

const titleLength = 80;

/** Bidirectional embeddings, overrides and isolates can make a line read as another. */
const invisible = /[\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Something that takes room on a screen. */
const visible = /[^\p{Default_Ignorable_Code_Point}\p{M}\s]/u;

/** The text as one line, shortened; null where nothing readable is in it. */
export function titleOf(text: string): string | null {
  // The beginning is enough: a long message is not normalised whole for its first 80 characters.
  const line = cutCodePoints(text.trimStart(), 4000)
    .toWellFormed()
    .replace(invisible, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const title = cutCodePoints(line, titleLength).trimEnd();
  return visible.test(title) ? title : null;
}
