/**
 * Tells a GGUF file from anything else by its first bytes, so that the engine (which reads garbage as numbers) only
 * sees files that claim to be one. A file that is cut off later is found by `checkWholeGguf`, which reads the whole header
 * and is not for every start, and by the engine, which checks every tensor.
 */
import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { promisedBytes } from "./gguf-size.ts";

/** What a look at a file says of it. */
export type GgufCheck = { readonly ok: true; readonly bytes: number } | { readonly ok: false; readonly reason: string };

/** Magic, version, number of tensors, number of metadata entries. */
const headerBytes = 24;
const versions = [2, 3];
/** Models have hundreds of tensors and dozens of entries; far above that the header is noise. */
const mostEntries = 1_000_000n;

/** Whether a file claims to be a GGUF, by its first bytes. Throws where it cannot be read. */
export async function checkGguf(path: string): Promise<GgufCheck> {
  const file = await open(path, "r");
  try {
    const { size: bytes } = await file.stat();
    const header = Buffer.alloc(headerBytes);
    const { bytesRead } = await file.read(header, 0, headerBytes, 0);
    if (bytesRead < headerBytes) return { ok: false, reason: `it has only ${bytes} bytes` };
    if (header.toString("latin1", 0, 4) !== "GGUF") {
      return { ok: false, reason: "it is no GGUF file (it does not start with GGUF)" };
    }
    const version = header.readUInt32LE(4);
    if (!versions.includes(version)) return { ok: false, reason: `its GGUF version is ${version}, not 2 or 3` };
    const tensors = header.readBigUInt64LE(8);
    const entries = header.readBigUInt64LE(16);
    if (tensors === 0n || tensors > mostEntries || entries === 0n || entries > mostEntries) {
      return { ok: false, reason: "its header is damaged" };
    }
    return { ok: true, bytes };
  } finally {
    await file.close();
  }
}

/** Also whether the file is as long as its header promises. */
export async function checkWholeGguf(path: string): Promise<GgufCheck> {
  const check = await checkGguf(path);
  if (!check.ok) return check;
  const promised = promisedBytes(path);
  if (promised === null) return { ok: false, reason: "its header is damaged or cut off" };
  if (check.bytes >= promised) return check;
  return { ok: false, reason: `it is cut off: it has ${check.bytes} bytes of ${promised}` };
}
