/** Titles of sessions: one line of at most 80 code points, with nothing in it that steers a terminal. */
import { cutCodePoints } from "@poppet/chat";
import { cleanText } from "../clean.ts";

export const titleLength = 80;

/** Something that takes room on a screen. */
const visible = /[^\p{Default_Ignorable_Code_Point}\p{M}\s]/u;

/** The text as one line, shortened; null where nothing readable is in it. */
export function titleOf(text: string): string | null {
  // The beginning is enough: a long message is not normalised whole for its first 80 characters.
  const start = cutCodePoints(text.trimStart(), 4000).toWellFormed();
  // Controls that end a line or a page are white space; the others leave no trace.
  const line = cleanText(start.replace(/[\v\f\r\x85]/g, "\n").replaceAll("\ufeff", ""))
    .replace(/\s+/g, " ")
    .trim();
  const title = cutCodePoints(line, titleLength).trimEnd();
  return visible.test(title) ? title : null;
}
