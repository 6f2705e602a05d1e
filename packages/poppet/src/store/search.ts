/**
 * The search index over what people said and were answered in completed runs. It follows the transcript by a mark, in
 * transactions of its own, so it can lag and be rebuilt but never stop an answer from being saved.
 * Each character of a script without spaces is a token of its own, so that words inside such text are found.
 */
import { all, change, first, type Operation } from "./operation.ts";

/** Entries indexed in one transaction. */
const batch = 500;

interface IndexedEntry {
  readonly n: number;
  readonly body: string;
  readonly agent: string;
  readonly project: string | null;
}

/** Indexes the next entries; false when there are none left. */
export function* indexNext(): Operation<boolean> {
  const mark = yield* first<{ value: string }>("select value from meta where key = 'search_through'");
  const rows = yield* all<IndexedEntry>(
    `select entry.n, entry.body, session.agent, session.project from entry join session on session.n = entry.home
     where entry.n > $1 and entry.readable = 1 order by entry.n limit $2`,
    Number(mark?.value ?? 0),
    batch,
  );
  for (const row of rows) {
    const { text } = JSON.parse(row.body) as { text: string };
    yield* change(
      "insert into search (rowid, scope, text) values ($1, $2, $3)",
      row.n,
      scopeOf(row.agent, row.project),
      segmented(text),
    );
  }
  const last = rows.at(-1);
  if (!last) return false;
  yield* change("update meta set value = $1 where key = 'search_through'", String(last.n));
  return rows.length === batch;
}

/** Whether entries wait for `indexNext`. */
export function* indexLags(): Operation<boolean> {
  const row = yield* first<{ lags: number }>(
    `select exists (select 1 from entry where readable = 1
       and n > (select cast(value as integer) from meta where key = 'search_through')) as lags`,
  );
  return row?.lags === 1;
}

/** Empties the index; `indexNext` fills it again. */
export function* resetIndex(definition: string): Operation<void> {
  yield* change("drop table if exists search");
  yield* change(definition);
  yield* change(
    "insert into meta (key, value) values ('search_through', '0') on conflict (key) do update set value = '0'",
  );
}

export interface MatchRow {
  readonly n: number;
  readonly score: number;
  readonly message_id: string;
  readonly kind: "user" | "assistant";
  readonly body: string;
  readonly created_at: number;
  readonly session_id: string;
  readonly title: string | null;
}

const matchColumns = `entry.n, hit.score, entry.id as message_id, entry.kind, entry.body, entry.created_at,
  session.id as session_id, session.title`;

/** The best matches, best first, ties by message ID; one more than `limit` where there are more. */
export function* findMatches(terms: readonly string[], limit: number): Operation<readonly MatchRow[]> {
  const query = matchExpression(terms);
  const best = yield* all<MatchRow>(
    `with hit as (select rowid, bm25(search, 0, 1) as score from search where search match $1 order by score, rowid limit $2)
     select ${matchColumns} from hit join entry on entry.n = hit.rowid join session on session.n = entry.home`,
    query,
    limit + 1,
  );
  const edge = best[limit];
  if (!edge || best[limit - 1]?.score !== edge.score) return best.toSorted(byScore);
  // The last place is tied with what was cut off: its ties are settled by ID among all of them.
  const tied = yield* all<MatchRow>(
    `with hit as (select rowid, bm25(search, 0, 1) as score from search where search match $1)
     select ${matchColumns} from hit join entry on entry.n = hit.rowid join session on session.n = entry.home
     where hit.score = $2 order by entry.id limit $3`,
    query,
    edge.score,
    limit + 1,
  );
  return [...best.filter((row) => row.score !== edge.score), ...tied].toSorted(byScore).slice(0, limit + 1);
}

function byScore(a: MatchRow, b: MatchRow): number {
  return a.score - b.score || (a.message_id < b.message_id ? -1 : 1);
}

/** Every term as a quoted phrase, so that nothing in it is an operator. */
function matchExpression(terms: readonly string[]): string {
  return `text : (${terms.map((term) => `"${segmented(term).replaceAll('"', '""')}"`).join(" AND ")})`;
}

const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]\p{M}*/gu;

function segmented(text: string): string {
  return text.normalize("NFC").replace(unspaced, "\u200b$&\u200b");
}

/** One word an agent and a project, whatever is in their names. */
function scopeOf(agent: string, project: string | null): string {
  const word = (name: string) => new TextEncoder().encode(name).toHex();
  return project === null ? `a${word(agent)}` : `a${word(agent)} p${word(project)}`;
}
