/**
 * A lock that dies with its process: an exclusive SQLite transaction on a small file of its own. The operating system
 * drops it however the process ends, so a lock that can be taken belongs to nobody alive. A process must never open and
 * close such a file of its own by other means: POSIX would drop the lock.
 */
import { Database } from "bun:sqlite";

export interface Lock {
  /** Gives the lock up; the file stays for the next to take. */
  release(): void;
  /** Removes the file, then gives the lock up: for a file that nobody else will ever take. */
  discard(): Promise<void>;
}

/** Held here as well: a collected handle would free its lock. */
const held = new Set<Database>();

/** Takes the lock, making its file; null if another holds it. */
export function tryLock(path: string): Lock | null {
  const handle = take(path, true);
  if (!handle) return null;
  held.add(handle);
  const release = () => {
    if (held.delete(handle)) handle.close();
  };
  return {
    release,
    async discard() {
      try {
        if (held.has(handle)) await remove(path);
      } finally {
        release();
      }
    },
  };
}

/** Whether a living process holds the lock. A dead one's file is removed. */
export async function isHeld(path: string): Promise<boolean> {
  let handle: Database | null;
  try {
    handle = take(path, false);
  } catch (thrown) {
    if ((thrown as { code?: string }).code === "SQLITE_CANTOPEN") return false;
    throw thrown;
  }
  if (!handle) return true;
  try {
    await remove(path);
  } finally {
    handle.close();
  }
  return false;
}

function take(path: string, create: boolean): Database | null {
  const handle = new Database(path, { readwrite: true, create });
  try {
    // Nothing is ever written: without this SQLite makes a journal file all the same.
    handle.run("pragma journal_mode = memory");
    handle.run("begin exclusive");
    return handle;
  } catch (thrown) {
    handle.close();
    if ((thrown as { code?: string }).code === "SQLITE_BUSY") return null;
    throw thrown;
  }
}

async function remove(path: string): Promise<void> {
  try {
    await Bun.file(path).delete();
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "ENOENT") throw thrown;
  }
}
