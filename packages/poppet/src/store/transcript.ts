/** The library's Transcript over a session in the database: the same tree, the same compare-and-set. */
import { type Entry, type Tip, type Transcript, TranscriptEntryError, TranscriptMovedError } from "@poppet/chat";
import { entryNumber, insertEntries, type PathEntry, pathBack, putSummary } from "./entries.ts";
import { change, first, type Operation } from "./operation.ts";
import { findSession } from "./sessions.ts";
import type { Store } from "./sqlite.ts";

/** Entries read at once while going back. */
const chunk = 64;

export function storedTranscript(
  store: Store,
  sessionId: string,
  ids: { readonly newId: () => string; readonly now: () => number },
): Transcript {
  return {
    async tip() {
      return store.read(function* () {
        return yield* idOf((yield* findSession(sessionId)).tip);
      });
    },

    async *back(from) {
      if (from === null) return;
      let page = await store.read(function* () {
        return yield* pathBack(yield* numberOf(from), chunk);
      });
      for (;;) {
        for (const entry of page) yield asEntry(entry);
        const parent = page.at(-1)?.parent ?? null;
        if (parent === null) return;
        page = await store.read(() => pathBack(parent, chunk));
      }
    },

    async commit({ expected, parent, exchange, content }) {
      return store.write("append", function* () {
        const session = yield* findSession(sessionId);
        const parentNumber = parent === null ? null : yield* numberOf(parent);
        if ((yield* idOf(session.tip)) !== expected) throw new TranscriptMovedError();
        const lastAnswer = content.findLastIndex((one) => one.role === "assistant");
        const written = yield* insertEntries(
          content.map((one, i) => ({
            id: ids.newId(),
            content: one,
            readable: one.role === "user" || i === lastAnswer,
          })),
          { home: session.n, parent: parentNumber, run: null, exchange, now: ids.now() },
        );
        yield* change("update session set tip = $1 where n = $2", written.last, session.n);
        return yield* idOf(written.last);
      });
    },

    async summarize(through, text) {
      await store.write("summary", function* () {
        yield* putSummary(yield* numberOf(through), text, ids.now());
      });
    },
  };
}

function* numberOf(id: string): Operation<number> {
  const n = yield* entryNumber(id);
  if (n === null) throw new TranscriptEntryError(id);
  return n;
}

function* idOf(n: number | null): Operation<Tip> {
  if (n === null) return null;
  return (yield* first<{ id: string }>("select id from entry where n = $1", n))?.id ?? null;
}

function asEntry({ id, parentId, exchange, content, bytes, summary }: PathEntry): Entry {
  return { id, parentId, exchange, content, bytes, summary };
}
