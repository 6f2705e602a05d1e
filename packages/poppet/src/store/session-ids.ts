/**
 * Sessions named by the beginning of an ID. The IDs are sorted by an index, so a beginning is a range of it, and how much
 * of an ID no other begins with is told by its two neighbours.
 */
import { all, first, type Operation } from "./operation.ts";

export interface NamedSession {
  readonly id: string;
  readonly title: string | null;
}

/** Of an ID that is shown: fewer would soon be shared, as IDs begin with the time. */
const shortLength = 8;

/** Where an ID has its dashes. */
const dashes = [20, 16, 12, 8] as const;

/** Sessions whose ID begins so, whatever case and dashes it is given with, the latest made first. */
export function* sessionsBeginning(given: string, limit: number): Operation<readonly NamedSession[]> {
  const beginning = asStored(given);
  if (beginning === "") return [];
  return yield* all<NamedSession>(
    "select id, title from session where id >= $1 and id < $2 order by id desc limit $3",
    beginning,
    // Above every character that an ID can have there.
    `${beginning}\u{10ffff}`,
    limit,
  );
}

/** The shortest beginning of the ID, of 8 characters or more, that no other session's ID has. */
export function* shortId(id: string): Operation<string> {
  const before = yield* first<{ id: string }>("select id from session where id < $1 order by id desc limit 1", id);
  const after = yield* first<{ id: string }>("select id from session where id > $1 order by id limit 1", id);
  const shared = Math.max(sharedLength(id, before?.id ?? ""), sharedLength(id, after?.id ?? ""));
  const length = Math.max(shortLength, shared + 1);
  return id.slice(0, id[length - 1] === "-" ? length + 1 : length);
}

/** The part of an ID as it is stored: in lower case, with dashes where they belong. Anything else as it is. */
function asStored(given: string): string {
  const digits = given.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return given;
  return dashes.reduce((text, at) => (text.length > at ? `${text.slice(0, at)}-${text.slice(at)}` : text), digits);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
