/** Takes one file out of a zip, piece by piece, so that neither the zip nor the file is ever whole in memory. */
import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@poppet/chat";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { systemReason } from "../../error.ts";

export interface UnpackOptions {
  readonly signal: AbortSignal;
  readonly onUnpack: (written: number, total: number) => void;
}

/** What is written is synced to the disk and has the size that the zip names. */
export async function unpackEntry(zip: string, name: string, to: string, options: UnpackOptions): Promise<void> {
  let archive: ZipFile;
  try {
    archive = await openPromise(zip, { autoClose: false });
  } catch (thrown) {
    throw new Error(`the archive is damaged (${messageOf(thrown)})`);
  }
  try {
    const entry = await findEntry(archive, name);
    const source = await archive.openReadStreamPromise(entry);
    let written = 0;
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        written += chunk.length;
        options.onUnpack(written, entry.uncompressedSize);
        done(null, chunk);
      },
    });
    const output = createWriteStream(to, { mode: 0o600, flush: true });
    await pipeline(source, count, output, { signal: options.signal });
  } catch (thrown) {
    options.signal.throwIfAborted();
    throw new Error(`the archive cannot be unpacked (${systemReason(thrown)})`);
  } finally {
    archive.close();
  }
}

async function findEntry(archive: ZipFile, name: string): Promise<Entry> {
  for await (const entry of archive.eachEntry()) if (entry.fileName === name) return entry;
  throw new Error(`it has no ${name}`);
}
