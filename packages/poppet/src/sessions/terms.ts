/** What a search text asks for: its terms, each a row of words. Checked by C10. */
import { PoppetError } from "../error.ts";
import { segmented } from "../store/segment.ts";

const queryLength = 256;

/** The terms to find; those of punctuation only are left out. */
export function termsOf(query: string): string[] {
  const refuse = (why: string) => new PoppetError("search_query", `The search text ${why}.`, { exitCode: 2 });
  if (query.trim() === "") throw refuse("is empty; give the words to find");
  if (query.trim() !== query) throw refuse("begins or ends with white space");
  if ([...query].length > queryLength) throw refuse(`is longer than ${queryLength} characters`);
  return query
    .toWellFormed()
    .replaceAll("\0", " ")
    .split(/\s+/u)
    .filter((term) => /[\p{L}\p{N}\p{Co}]/u.test(segmented(term)));
}
