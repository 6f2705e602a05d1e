/**
 * Who runs what. A process that runs turns is an owner: it holds a lock file named by a fresh ID for as long as it lives,
 * and its runs carry that ID. An owner whose lock can be taken is dead. Process IDs are never looked at.
 */
import { isHeld, type Lock, tryLock } from "./lock.ts";
import { storeError } from "./sqlite.ts";

export interface Owner {
  readonly id: string;
  /** The process runs nothing more under this ID. */
  release(): Promise<void>;
}

export async function becomeOwner(home: string, newId: () => string): Promise<Owner> {
  const folder = ownersFolder(home);
  for (;;) {
    const id = newId();
    const path = lockPath(home, id);
    const lock = await takeIn(folder, path);
    // A sweep may have removed the file between its making and its locking: then nobody could see this lock.
    if (lock && (await Bun.file(path).exists())) return { id, release: () => lock.discard() };
    lock?.release();
  }
}

export function isOwnerAlive(home: string, id: string): Promise<boolean> {
  return isHeld(lockPath(home, id));
}

/** Removes the lock files that dead processes left. */
export async function sweepOwners(home: string): Promise<void> {
  const { readdir } = await import("node:fs/promises");
  for (const name of await readdir(ownersFolder(home)).catch(() => [])) {
    if (name.endsWith(".lock")) await isHeld(`${ownersFolder(home)}/${name}`);
  }
}

async function takeIn(folder: string, path: string): Promise<Lock | null> {
  try {
    return tryLock(path);
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "SQLITE_CANTOPEN") throw storeError(thrown, path);
  }
  try {
    const { mkdirSync } = await import("node:fs");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return tryLock(path);
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}

function ownersFolder(home: string): string {
  return `${home}/owners`;
}

function lockPath(home: string, id: string): string {
  return `${ownersFolder(home)}/${id}.lock`;
}
