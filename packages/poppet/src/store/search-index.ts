/**
 * The search index: a database file of its own (`search.db`) that follows the transcript by a mark, in transactions of
 * its own. It may lag, and one that is damaged or of another version is deleted and made again: it can never stop an
 * answer from being saved, nor a search from being answered.
 */
import { PoppetError } from "../error.ts";
import { searchMigrations } from "./schema.ts";
import { entriesAfter, findHits, indexEntries, type Match, matchesOf, progress } from "./search.ts";
import { openStore, type Store } from "./sqlite.ts";

export interface SearchIndex {
  /** Indexes what completed runs have added. */
  catchUp(): Promise<void>;
  /** The best matches of an index that is up to date. Every term must be found. */
  find(terms: readonly string[], limit: number): Promise<readonly Match[]>;
  close(): void;
}

export function searchIndex(main: Store, home: string): SearchIndex {
  const path = `${home}/search.db`;
  let index: Store | null = null;

  async function open(): Promise<Store> {
    index ??= await openStore(path, { migrations: searchMigrations, durability: "rebuildable", patienceMs: 5_000 });
    return index;
  }

  async function remove(): Promise<void> {
    index?.close();
    index = null;
    const { rmSync } = await import("node:fs");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  }

  async function repairing<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (thrown) {
      if (!isSpoilt(thrown)) throw thrown;
      await remove();
      return step();
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
    catchUp: () => repairing(catchUp),
    find: (terms, limit) =>
      repairing(async () => {
        await catchUp();
        const hits = await (await open()).read(() => findHits(terms, limit));
        return main.read(() => matchesOf(hits, limit));
      }),
    close() {
      index?.close();
      index = null;
    },
  };
}

function isSpoilt(thrown: unknown): boolean {
  return (
    PoppetError.isInstance(thrown) &&
    (thrown.code === "store_damaged" || thrown.code === "store_newer" || thrown.code === "store_failed")
  );
}
