/**
 * The search index: a database file of its own (`search.db`) that follows the transcript by a mark, in transactions of
 * its own. It may lag, and one that is damaged or of another version is deleted and made again: it can never stop an
 * answer from being saved, nor a search from being answered.
 */
import { PoppetError } from "../error.ts";
import { type Lock, tryLock } from "./lock.ts";
import { searchMigrations } from "./schema.ts";
import { entriesAfter, findHits, indexEntries, type Match, matchesOf, progress } from "./search.ts";
import { openStore, type Store, type StoreOptions } from "./sqlite.ts";

const patienceMs = 5_000;
const lockPauseMs = 20;
/** The second is for a file that another process put in its place and that was spoilt as well. */
const mostRepairs = 2;

export interface SearchIndex {
  /** Indexes what completed runs have added. */
  catchUp(): Promise<void>;
  /** The best matches of an index that is up to date. Every term must be found. */
  find(terms: readonly string[], limit: number): Promise<readonly Match[]>;
  close(): void;
}

export function searchIndex(main: Store, home: string, options: Pick<StoreOptions, "onWrite"> = {}): SearchIndex {
  const path = `${home}/search.db`;
  let index: Store | null = null;
  /** Which file was opened; null where it was not there yet. */
  let opened: string | null = null;
  let last: Promise<unknown> = Promise.resolve();

  /** One use at a time: two that opened or repaired the file at once would each hold a store of their own. */
  function alone<T>(use: () => Promise<T>): Promise<T> {
    const mine = last.then(use, use);
    last = mine.catch(() => {});
    return mine;
  }

  async function open(): Promise<Store> {
    if (index !== null) return index;
    opened = await identity(path);
    index = await openStore(path, { ...options, migrations: searchMigrations, durability: "rebuildable", patienceMs });
    opened ??= await identity(path);
    return index;
  }

  /** Removes the file that was found to be spoilt, unless another process did so first: then its new one is kept. */
  async function remove(): Promise<void> {
    index?.close();
    index = null;
    const lock = await waitForLock(`${path}.migrating`);
    try {
      if (opened === null || opened !== (await identity(path))) return;
      const { rmSync } = await import("node:fs");
      // The database last: who opens a new one in the meantime keeps what belongs to it.
      for (const suffix of ["-wal", "-shm", ""]) rmSync(`${path}${suffix}`, { force: true });
    } finally {
      lock?.release();
    }
  }

  async function repairing<T>(step: () => Promise<T>): Promise<T> {
    for (let repairs = 0; ; repairs++) {
      try {
        return await step();
      } catch (thrown) {
        if (!isSpoilt(thrown) || repairs === mostRepairs) throw thrown;
        await remove();
      }
    }
  }

  async function catchUp(): Promise<void> {
    for (;;) {
      const store = await open();
      const at = await store.read(progress);
      const entries = await main.read(() => entriesAfter(at));
      if (entries?.length === 0) return;
      if (entries === null) await remove();
      else await store.write("index", () => indexEntries(at, entries));
    }
  }

  return {
    catchUp: () => alone(() => repairing(catchUp)),
    find: (terms, limit) =>
      alone(() =>
        repairing(async () => {
          await catchUp();
          const hits = await (await open()).read(() => findHits(terms, limit));
          return main.read(() => matchesOf(hits, limit));
        }),
      ),
    close() {
      index?.close();
      index = null;
    },
  };
}

/** Of a file: another one in its place has another, also where the number is used again. */
async function identity(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeMs } = await Bun.file(path).stat();
    return `${ino} ${birthtimeMs}`;
  } catch {
    return null;
  }
}

/** Null where it is held for longer than anybody needs it. */
async function waitForLock(path: string): Promise<Lock | null> {
  for (let waited = 0; waited < patienceMs; waited += lockPauseMs) {
    const lock = tryLock(path);
    if (lock !== null) return lock;
    await new Promise((resolve) => setTimeout(resolve, lockPauseMs));
  }
  return null;
}

const spoilt: ReadonlySet<string> = new Set(["store_damaged", "store_newer", "store_failed", "store_moved"]);

function isSpoilt(thrown: unknown): boolean {
  return PoppetError.isInstance(thrown) && spoilt.has(thrown.code);
}
