/** Operations of the search index and of the transcript that it follows. */
import { all, change, first, type Operation } from "./operation.ts";
import { segmented } from "./segment.ts";

/** Entries indexed in one transaction. */
const batch = 500;

/** Hits of one score that are looked at to settle a tie by message ID. */
const mostTied = 10_000;

/** Hits looked at first: as cheap as a few, and enough to hold most ties, so that the index is rarely asked twice. */
const looked = 256;

export interface Progress {
  readonly through: number;
  /** The ID of the entry there: another one means that the database was replaced. */
  readonly entry: string;
}

interface IndexableEntry {
  readonly n: number;
  readonly id: string;
  readonly body: string;
  readonly agent: string;
  readonly project: string | null;
}

export function* progress(): Operation<Progress> {
  return (yield* first<Progress>("select through, entry from progress")) ?? { through: 0, entry: "" };
}

/** What people said and were answered after that progress; null if the progress is of another database. */
export function* entriesAfter(at: Progress): Operation<readonly IndexableEntry[] | null> {
  if (at.through > 0) {
    const same = yield* first("select 1 from entry where n = $1 and id = $2", at.through, at.entry);
    if (!same) return null;
  }
  return yield* all<IndexableEntry>(
    `select entry.n, entry.id, entry.body, session.agent, session.project
     from entry join session on session.n = entry.home
     where entry.n > $1 and entry.readable = 1 order by entry.n limit $2`,
    at.through,
    batch,
  );
}

/** Indexes entries unless another process has got ahead. */
export function* indexEntries(from: Progress, entries: readonly IndexableEntry[]): Operation<void> {
  const last = entries.at(-1);
  if (!last || (yield* progress()).through !== from.through) return;
  for (const entry of entries) {
    yield* change(
      "insert into search (rowid, scope, text) values ($1, $2, $3)",
      entry.n,
      scopeOf(entry.agent, entry.project),
      segmented((JSON.parse(entry.body) as { text: string }).text),
    );
  }
  yield* change("update progress set through = $1, entry = $2", last.n, last.id);
}

export interface Hit {
  readonly n: number;
  /** Lower is better. */
  readonly score: number;
}

/**
 * The best `limit` hits, best first, and all that tie with the last of them, for the caller to choose from by what the
 * index does not know.
 */
export function* findHits(terms: readonly string[], limit: number): Operation<readonly Hit[]> {
  const query = matchExpression(terms);
  const best = yield* all<Hit>(
    `select rowid as n, bm25(search, 0, 1) as score from search where search match $1
     order by score, rowid limit $2`,
    query,
    looked,
  );
  const edge = best[limit - 1];
  if (!edge) return best;
  if (best.length < looked || best.at(-1)?.score !== edge.score) return best.filter((hit) => hit.score <= edge.score);
  const tied = yield* all<Hit>(
    `select n, score from (select rowid as n, bm25(search, 0, 1) as score from search where search match $1)
     where score = $2 order by n limit $3`,
    query,
    edge.score,
    mostTied,
  );
  return [...best.filter((hit) => hit.score !== edge.score), ...tied];
}

export interface Match extends Hit {
  readonly message_id: string;
  readonly kind: "user" | "assistant";
  readonly body: string;
  readonly created_at: number;
  readonly session_id: string;
  readonly title: string | null;
}

/** The messages of hits, best first, ties by message ID. */
export function* matchesOf(hits: readonly Hit[], limit: number): Operation<readonly Match[]> {
  const scores = new Map(hits.map((hit) => [hit.n, hit.score]));
  const ids = yield* all<{ n: number; id: string }>(
    "select n, id from entry where n in (select value from json_each($1))",
    JSON.stringify(hits.map((hit) => hit.n)),
  );
  const score = (n: number) => scores.get(n) ?? 0;
  const best = ids.toSorted((a, b) => score(a.n) - score(b.n) || (a.id < b.id ? -1 : 1)).slice(0, limit);
  const rows = yield* all<Omit<Match, "score">>(
    `select entry.n, entry.id as message_id, entry.kind, entry.body, entry.created_at, session.id as session_id,
       session.title
     from entry join session on session.n = entry.home where entry.n in (select value from json_each($1))`,
    JSON.stringify(best.map((one) => one.n)),
  );
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return best.flatMap(({ n }) => {
    const row = byNumber.get(n);
    return row ? [{ ...row, score: score(n) }] : [];
  });
}

/** Every term as a quoted phrase of its words, which have no quotes in them: nothing in it is an operator. */
function matchExpression(terms: readonly string[]): string {
  return `text : (${terms.map((term) => `"${segmented(term)}"`).join(" AND ")})`;
}

/** One word for an agent and one for a project, whatever is in their names. */
function scopeOf(agent: string, project: string | null): string {
  const word = (name: string) => new TextEncoder().encode(name).toHex();
  return project === null ? `a${word(agent)}` : `a${word(agent)} p${word(project)}`;
}
