/** Entries of the transcript tree, and what stands beside them: continuation data and summaries. */
import { type EntryContent, type Json, type Message, messageBytes } from "@poppet/chat";
import { all, change, first, type Operation } from "./operation.ts";

export interface NewEntry {
  readonly id: string;
  readonly content: EntryContent;
  /** A person's text or a final answer: what people and recall see. */
  readonly readable: boolean;
}

export interface EntryPlace {
  readonly home: number;
  readonly parent: number | null;
  readonly run: number | null;
  readonly exchange: string;
  readonly now: number;
}

/** Appends a row of entries; a person's message has the time at which it was accepted. The first and last number written, or the parent's where there are none. */
export function* insertEntries(
  entries: readonly NewEntry[],
  place: EntryPlace,
): Operation<{ readonly first: number | null; readonly last: number | null }> {
  let parent = place.parent;
  let from: number | null = null;
  for (const entry of entries) {
    const { body, continuation } = encode(entry.content);
    yield* change(
      `insert into entry (id, parent, home, run, exchange, kind, readable, bytes, body, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce((select created_at from input where id = $1), $10))`,
      entry.id,
      parent,
      place.home,
      place.run,
      place.exchange,
      entry.content.role,
      entry.readable ? 1 : 0,
      entry.content.role === "clear" ? 0 : messageBytes(entry.content),
      body,
      place.now,
    );
    parent = (yield* entryNumber(entry.id)) ?? parent;
    from ??= parent;
    if (continuation && parent !== null) {
      yield* change(
        "insert into continuation (entry, provider, model, data) values ($1, $2, $3, $4)",
        parent,
        continuation.provider,
        continuation.model,
        continuation.data,
      );
    }
  }
  return { first: from, last: parent };
}

export function* entryNumber(id: string): Operation<number | null> {
  return (yield* first<{ n: number }>("select n from entry where id = $1", id))?.n ?? null;
}

export interface PathEntry {
  readonly n: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly parent: number | null;
  readonly exchange: string;
  readonly content: EntryContent;
  readonly bytes: number;
  readonly summary: string | null;
}

interface PathRow {
  readonly n: number;
  readonly id: string;
  readonly parent: number | null;
  readonly parent_id: string | null;
  readonly exchange: string;
  readonly kind: string;
  readonly bytes: number;
  readonly body: string;
  readonly summary: string | null;
  readonly data: string | null;
}

/** Up to `limit` entries from one back towards the first, newest first. */
export function* pathBack(from: number, limit: number): Operation<readonly PathEntry[]> {
  const rows = yield* all<PathRow>(
    `with recursive path (n, depth) as (
       select $1, 1
       union all
       select entry.parent, depth + 1 from path join entry on entry.n = path.n where entry.parent is not null and depth < $2
     )
     select entry.n, entry.id, entry.parent, parent.id as parent_id, entry.exchange, entry.kind, entry.bytes, entry.body,
       summary.text as summary, continuation.data
     from path join entry on entry.n = path.n
       left join entry as parent on parent.n = entry.parent
       left join summary on summary.entry = entry.n
       left join continuation on continuation.entry = entry.n
     order by path.depth`,
    from,
    limit,
  );
  return rows.map((row) => ({
    n: row.n,
    id: row.id,
    parent: row.parent,
    parentId: row.parent_id,
    exchange: row.exchange,
    content: decode(row),
    bytes: row.bytes,
    summary: row.summary,
  }));
}

export function* putSummary(entry: number, text: string, now: number): Operation<void> {
  yield* change(
    `insert into summary (entry, text, created_at) values ($1, $2, $3)
     on conflict (entry) do update set text = excluded.text, created_at = excluded.created_at`,
    entry,
    text,
    now,
  );
}

function encode(content: EntryContent): {
  readonly body: string;
  readonly continuation: { readonly provider: string; readonly model: string; readonly data: string } | null;
} {
  if (content.role !== "assistant") return { body: JSON.stringify(content), continuation: null };
  const { continuation, ...portable } = content;
  return {
    body: JSON.stringify(portable),
    continuation:
      continuation === null
        ? null
        : { provider: content.provider, model: content.model, data: JSON.stringify(continuation) },
  };
}

function decode(row: PathRow): EntryContent {
  const content = JSON.parse(row.body) as Message | { role: "clear" };
  if (content.role !== "assistant") return content;
  return { ...content, continuation: row.data === null ? null : (JSON.parse(row.data) as Json) };
}
