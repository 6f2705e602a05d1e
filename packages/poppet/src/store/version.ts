/** What a database's header says of it: its schema's version, the number of migrations that it has had, and its mode. */
import type { Database } from "bun:sqlite";

export function userVersion(db: Database): number {
  return db.query<{ user_version: number }, []>("pragma user_version").get()?.user_version ?? 0;
}

export function isWal(db: Database): boolean {
  return db.query<{ journal_mode: string }, []>("pragma journal_mode").get()?.journal_mode === "wal";
}
