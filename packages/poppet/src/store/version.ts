/** The schema's version, in the database's header: the number of migrations that it has had. */
import type { Database } from "bun:sqlite";

export function userVersion(db: Database): number {
  return db.query<{ user_version: number }, []>("pragma user_version").get()?.user_version ?? 0;
}
