/** Moves a whole model into place, and brings in a file that is on this machine already. */
import { createHash } from "node:crypto";
import { type FileHandle, link, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../error.ts";

interface CopyOptions {
  /** Where a copy grows, on the disk where the model will be; what a failure leaves there is the caller's to remove. */
  readonly part: string;
  readonly signal: AbortSignal;
  readonly onBytes: (copied: number, total: number) => void;
}

/** After this the model is there, also after a power failure. The bytes of `part` were synced by who wrote them. */
export async function moveIntoPlace(part: string, path: string): Promise<void> {
  await rename(part, path);
  await syncFolder(dirname(path));
}

/**
 * A second name for the same bytes where the disk allows it, as models are large; else a copy. Two names share one mode,
 * so a file that is not private already is copied.
 */
export async function linkOrCopy(from: string, to: string, options: CopyOptions): Promise<void> {
  const { size, mode } = await stat(from);
  if ((mode & 0o777) === 0o600 && (await linked(from, to))) return options.onBytes(size, size);
  await copy(from, size, options);
  await moveIntoPlace(options.part, to);
}

/** False on another disk, or one without links. A name that is taken is not for us to replace. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    await syncFolder(dirname(to));
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") throw new Error(`${to} is there already`);
    return false;
  }
}

async function copy(from: string, size: number, options: CopyOptions): Promise<void> {
  const input = await open(from, "r");
  const output = await open(options.part, "w", 0o600);
  try {
    const buffer = Buffer.alloc(1 << 20);
    for (let copied = 0; ; ) {
      options.signal.throwIfAborted();
      const { bytesRead } = await input.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      await writeWhole(output, buffer.subarray(0, bytesRead));
      copied += bytesRead;
      options.onBytes(copied, size);
    }
    await output.sync();
  } finally {
    await input.close();
    await output.close();
  }
}

/** A nearly full disk may take a part of what it is given and refuse only the next. */
export async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
}

export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const file = await open(path, "r");
  try {
    const hash = createHash("sha256");
    const buffer = Buffer.alloc(1 << 20);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Windows cannot open a folder; there a rename is durable by itself. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  if (folder === null) return;
  try {
    await folder.sync();
  } catch {
    // A file system without folder sync.
  } finally {
    await folder.close();
  }
}
