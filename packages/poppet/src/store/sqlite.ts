/**
 * The store on SQLite: opens or makes the database and runs operations, each in one transaction. Never waits inside
 * SQLite for long: a busy database is tried again from outside, so that signals are still heard. A database that is
 * newer, damaged, read-only or on a full disk is a PoppetError, and is left as it was.
 */
import { constants, Database, type Statement as SqliteStatement } from "bun:sqlite";
import { messageOf, untilAborted } from "@poppet/chat";
import { PoppetError, systemCode, systemReason } from "../error.ts";
import type { Operation, Row, SqlValue } from "./operation.ts";
import { type Migration, migrations as ownMigrations } from "./schema.ts";
import { isWal, userVersion } from "./version.ts";

export interface Store {
  readonly path: string;
  /** Runs on one consistent snapshot. */
  read<T>(operation: () => Operation<T>): Promise<T>;
  /**
   * Runs in an immediate transaction. `name` is that of the transaction in docs/storage.md. `signal` ends the wait
   * for a busy database: then nothing was written.
   */
  write<T>(name: string, operation: () => Operation<T>, signal?: AbortSignal): Promise<T>;
  close(): void;
}

export interface StoreOptions {
  readonly migrations?: readonly Migration[];
  /** `rebuildable`: a power loss may lose the latest writes, because they can be made again. */
  readonly durability?: "full" | "rebuildable";
  /** How long a busy database is tried again, in milliseconds. */
  readonly patienceMs?: number;
  /** Called before each write transaction begins and after it is committed; the crash tests kill there. */
  readonly onWrite?: (name: string, moment: "before" | "after") => void;
}

/** Where the assistant keeps its database in a data folder. */
export function databaseFile(home: string): string {
  return `${home}/poppet.db`;
}

const busyTimeoutMs = 50;
const never = new AbortController().signal;

/** Opens a database, making the file and its folder where they are missing. */
export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const migrations = options.migrations ?? ownMigrations;
  const patience = options.patienceMs ?? 30_000;
  const db = await open(path);
  try {
    await retryBusy(path, patience, () => prepare(db, options.durability ?? "full"));
    const version = await retryBusy(path, patience, () => userVersion(db));
    if (version > migrations.length) throw newerError(path, version, migrations.length);
    const ready = version === migrations.length && (await retryBusy(path, patience, () => isWal(db)));
    if (!ready) {
      const { migrate } = await import("./migrate.ts");
      await migrate(db, path, migrations, (attempt) => retryBusy(path, patience, attempt));
    }
  } catch (thrown) {
    db.close();
    throw storeError(thrown, path);
  }

  const statements = new Map<string, SqliteStatement<Row, SqlValue[]>>();
  const prepared = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const made = db.prepare<Row, SqlValue[]>(sql);
    statements.set(sql, made);
    return made;
  };

  function run<T>(begin: string, make: () => Operation<T>): T {
    db.run(begin);
    try {
      refuseMoved(db, path);
      const operation = make();
      let next = operation.next();
      while (!next.done) {
        const { sql, args } = next.value;
        const statement = prepared(sql);
        const reads = statement.columnNames.length > 0;
        const rows = reads ? statement.all(...args) : [];
        const changes = reads ? rows.length : statement.run(...args).changes;
        next = operation.next({ rows, changes });
      }
      refuseMoved(db, path);
      db.run("commit");
      return next.value;
    } catch (thrown) {
      if (db.inTransaction) db.run("rollback");
      throw thrown;
    }
  }

  return {
    path,
    read: (operation) => retryBusy(path, patience, () => run("begin", operation)),
    async write(name, operation, signal) {
      options.onWrite?.(name, "before");
      const result = await retryBusy(path, patience, () => run("begin immediate", operation), signal);
      options.onWrite?.(name, "after");
      return result;
    },
    close() {
      for (const statement of statements.values()) statement.finalize();
      db.close();
    },
  };
}

/**
 * The file is there before SQLite is asked for it: asked for one that is not, it tries again read-only, and stays so if
 * another process made the file in between.
 */
async function open(path: string): Promise<Database> {
  try {
    if (!(await Bun.file(path).exists())) await make(path);
    return new Database(path, { readwrite: true, create: false });
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}

async function make(path: string): Promise<void> {
  const { closeSync, mkdirSync, openSync } = await import("node:fs");
  mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

function prepare(db: Database, durability: "full" | "rebuildable"): void {
  // The timeout first: switching to WAL while others do the same needs it.
  db.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  db.run(`pragma synchronous = ${durability === "full" ? "full" : "normal"}`);
  db.run("pragma foreign_keys = on");
}

const hasMoved = constants.SQLITE_FCNTL_HAS_MOVED;

/** SQLite goes on writing to a file that was deleted or replaced, where nobody will find what was saved. */
function refuseMoved(db: Database, path: string): void {
  const moved = new Int32Array(2);
  db.fileControl(hasMoved, moved);
  if (moved[0] === 0) return;
  throw new PoppetError(
    "store_moved",
    `${path} was deleted or replaced while it was in use; nothing was saved by this step. Put it back, or start again.`,
  );
}

async function retryBusy<T>(
  path: string,
  patienceMs: number,
  attempt: () => T,
  signal: AbortSignal = never,
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      return attempt();
    } catch (thrown) {
      if (!systemCode(thrown)?.startsWith("SQLITE_BUSY") || performance.now() > end) throw storeError(thrown, path);
    }
    await untilAborted(Bun.sleep(pause * (0.5 + Math.random())), signal);
  }
}

function newerError(path: string, version: number, known: number): PoppetError {
  return new PoppetError(
    "store_newer",
    `${path} was written by a newer Poppet (schema ${version}, this one knows ${known}); it was left as it is. Update Poppet, or set POPPET_HOME to another folder.`,
  );
}

/** What SQLite and the file system say, as one clear error; everything else as it is. */
export function storeError(thrown: unknown, path: string): unknown {
  const code = systemCode(thrown) ?? "";
  const fail = (
    kind: "store_damaged" | "store_unwritable" | "store_full" | "store_busy" | "store_failed",
    text: string,
  ) => new PoppetError(kind, text, { cause: thrown });
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) {
    return fail(
      "store_damaged",
      `${path} is damaged or is no Poppet database; it was left as it is. Put a copy of it back, or move it away to start anew.`,
    );
  }
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
    return fail(
      "store_full",
      `There is no room left to write ${path}; nothing was saved by this step. Free some disk space and try again.`,
    );
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return fail(
      "store_busy",
      `${path} stayed in use by another program; nothing was saved by this step. Close what holds it open and try again.`,
    );
  }
  if (
    ["SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"].some((kind) => code.startsWith(kind)) ||
    ["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENOENT", "EISDIR", "EEXIST"].includes(code)
  ) {
    return fail(
      "store_unwritable",
      `${pathOf(thrown) ?? path} cannot be used: ${whyUnwritable(thrown)}. Put that right, or set POPPET_HOME to another folder.`,
    );
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return fail(
      "store_failed",
      `Reading or writing ${path} failed (${code}). Check the disk and its free space, then try again.`,
    );
  }
  if (code.startsWith("SQLITE_"))
    return fail(
      "store_failed",
      `The database ${path} refused a step (${code}): ${messageOf(thrown)}. Please report it.`,
    );
  return thrown;
}

/** What stands in the way, where the file system says so: it may be a folder above. */
function pathOf(thrown: unknown): string | null {
  const path = (thrown as { readonly path?: unknown } | null)?.path;
  return typeof path === "string" ? path : null;
}

function whyUnwritable(thrown: unknown): string {
  const code = systemCode(thrown) ?? "";
  if (code.startsWith("SQLITE_READONLY")) return "it, or its -wal file, may only be read";
  return code.startsWith("SQLITE_") ? "it or its folder is closed to you" : systemReason(thrown);
}
