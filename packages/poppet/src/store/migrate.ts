/**
 * Brings a database to WAL mode and the present schema, one transaction a version, under a lock of its own. A database
 * that has anything in it is copied first (`poppet.db.before-schema-N`), so a failed migration loses nothing.
 */
import type { Database } from "bun:sqlite";
import { PoppetError } from "../error.ts";
import { tryLock } from "./lock.ts";
import type { Migration } from "./schema.ts";
import { isWal, userVersion } from "./version.ts";

type Retry = <T>(attempt: () => T) => Promise<T>;

export async function migrate(
  db: Database,
  path: string,
  migrations: readonly Migration[],
  retry: Retry,
): Promise<void> {
  const lock = await retry(() => {
    const taken = tryLock(`${path}.migrating`);
    if (!taken) throw Object.assign(new Error("another process migrates"), { code: "SQLITE_BUSY" });
    return taken;
  });
  try {
    const from = await retry(() => userVersion(db));
    if (from === 0) await retry(() => refuseForeign(db, path));
    if (!(await retry(() => isWal(db)))) await retry(() => db.run("pragma journal_mode = wal"));
    if (from > 0 && from < migrations.length) await keepCopy(db, `${path}.before-schema-${migrations.length}`);
    for (const [version, migration] of migrations.entries()) {
      if (version >= from) await retry(() => step(db, version + 1, migration));
    }
  } finally {
    lock.release();
  }
}

/** Brings the database from the version before to this one. */
function step(db: Database, version: number, migration: Migration): void {
  db.run("begin immediate");
  try {
    db.run(migration.sql);
    db.run(`pragma user_version = ${version}`);
    db.run("commit");
  } catch (thrown) {
    if (db.inTransaction) db.run("rollback");
    throw thrown;
  }
}

/** A database with tables and no version of ours belongs to another program. */
function refuseForeign(db: Database, path: string): void {
  const tables = db.query<{ count: number }, []>("select count(*) as count from sqlite_schema").get()?.count ?? 0;
  if (tables === 0) return;
  throw new PoppetError(
    "store_damaged",
    `${path} is a database of another program; it was left as it is. Move it away, or set POPPET_HOME to another folder.`,
  );
}

async function keepCopy(db: Database, copy: string): Promise<void> {
  const { existsSync, renameSync, rmSync } = await import("node:fs");
  if (existsSync(copy)) return;
  const partial = `${copy}.partial`;
  rmSync(partial, { force: true });
  db.query("vacuum into ?1").run(partial);
  renameSync(partial, copy);
}
