/** The assistant in this process, over its own store. */
import { type Clock, readContext, systemClock } from "@poppet/chat";
import type { Assistant, Session, SessionSummary, ShownSession } from "./assistant.ts";
import { PoppetError } from "./error.ts";
import { openEndings } from "./runs/endings.ts";
import { keepModels } from "./runs/kept-model.ts";
import { reapDead } from "./runs/reap.ts";
import type { ModelSource } from "./runs/run-turn.ts";
import { submit } from "./runs/submit.ts";
import { titleOf } from "./sessions/title.ts";
import type { Settings } from "./settings.ts";
import type { Operation } from "./store/operation.ts";
import { becomeOwner, type Owner } from "./store/owners.ts";
import { searchIndex } from "./store/search-index.ts";
import { sessionsBeginning, shortId } from "./store/session-ids.ts";
import { findSession, listSessions, renameSession, sessionData, sessionSummary } from "./store/sessions.ts";
import { databaseFile, openStore, type StoreOptions } from "./store/sqlite.ts";

export interface LocalOptions {
  /** The data folder. */
  readonly home: string;
  /** Where the settings file is, and beside it skills and projects. */
  readonly settingsFolder: string;
  readonly settings: Settings;
  readonly models: ModelSource;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly store?: StoreOptions;
}

export async function openLocal(options: LocalOptions): Promise<Assistant> {
  const { home, settingsFolder, settings, clock = systemClock, newId = () => Bun.randomUUIDv7() } = options;
  const store = await openStore(databaseFile(home), options.store);
  const { onWrite } = options.store ?? {};
  const index = searchIndex(store, home, onWrite && { onWrite });
  const endings = openEndings(store);
  const models = keepModels(options.models);
  /** One for all runs of this process, also for those that begin at the same moment. */
  let owner: Promise<Owner> | null = null;
  let ownId: string | null = null;
  const ownerNow = async () => {
    owner ??= becomeOwner(home, newId);
    try {
      const own = await owner;
      ownId = own.id;
      return own;
    } catch (thrown) {
      // The next to ask tries again.
      owner = null;
      throw thrown;
    }
  };
  /** No run that is over shows as running: neither one of this process nor one of a dead one. */
  const reap = async () => {
    await endings.settle();
    await reapDead(store, home, ownId, clock.now());
  };

  return {
    submit(submission, signal) {
      const services = { store, home, settingsFolder, settings, index, clock, newId, models, endings, owner: ownerNow };
      return submit(services, submission, signal);
    },

    async sessions({ limit, before }) {
      await reap();
      return store.read(function* (): Operation<readonly SessionSummary[]> {
        const list: SessionSummary[] = [];
        for (const row of yield* listSessions(limit, before)) list.push(yield* sessionSummary(row));
        return list;
      });
    },

    async show(sessionId): Promise<ShownSession> {
      await reap();
      const { countCompactions, showRuns } = await import("./store/show.ts");
      const { storedTranscript } = await import("./store/transcript.ts");
      const shown = await store.read(function* () {
        const row = yield* findSession(sessionId);
        const session = yield* sessionData(row);
        return { session, compactions: yield* countCompactions(row.n), ...(yield* showRuns(row.n)) };
      });
      const transcript = storedTranscript(store, shown.session.id, { newId, now: clock.now });
      const { contextExchanges: exchanges, contextBytes: bytes } = settings.limits;
      const context = await readContext(transcript, await transcript.tip(), { exchanges, bytes });
      const firstRun = context.exchanges[0]?.id;
      const contextStart = shown.messages.find((message) => message.runId === firstRun)?.id ?? null;
      const { session, compactions, messages, runs } = shown;
      return { session: { ...session, contextStart, compactions }, messages, runs };
    },

    async latest(sessionId) {
      await reap();
      const { latestRun } = await import("./store/show.ts");
      return store.read(function* () {
        const row = yield* findSession(sessionId);
        return { session: yield* sessionSummary(row), run: yield* latestRun(row.n) };
      });
    },

    async search(query) {
      const { searchSessions } = await import("./sessions/search.ts");
      return searchSessions(index, query, settings.toolBytes);
    },

    async rename(sessionId, title) {
      const line = titleOf(title);
      if (line === null)
        throw new PoppetError("title_invalid", "The title has nothing readable in it.", { exitCode: 2 });
      return store.write("rename", function* (): Operation<Session> {
        return yield* sessionData(yield* renameSession(sessionId, line));
      });
    },

    async nameSession(sessionId, signal) {
      if (!settings.chat.nameSessions) return null;
      const { nameSession } = await import("./sessions/naming.ts");
      return nameSession({ store, clock, models }, sessionId, signal);
    },

    shortIds(sessionIds) {
      return store.read(function* (): Operation<readonly string[]> {
        const short: string[] = [];
        for (const id of sessionIds) short.push(yield* shortId(id));
        return short;
      });
    },

    sessionsBeginning: (beginning, limit) => store.read(() => sessionsBeginning(beginning, limit)),

    async close() {
      await models.close();
      await endings.settle();
      await (await owner)?.release();
      index.close();
      store.close();
    },
  };
}
