/**
 * Downloads one file so that nothing is lost: what has arrived stays in `FILE.part`, and the next try goes on from
 * there if the server still has the same file. A whole file has the expected size and SHA-256, or is thrown away.
 */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@poppet/chat";
import { fetchFirstByte, networkReason } from "./first-byte.ts";
import { writeWhole } from "./place.ts";

export interface DownloadTarget {
  readonly url: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly firstByteMs: number;
  /** The connection counts as lost after so long without a byte. */
  readonly stallMs: number;
  /** Tries in a row that bring nothing before it gives up. */
  readonly tries: number;
  readonly retryMs: number;
  readonly onBytes: (received: number, total: number | null) => void;
}

/** Worth another try, unlike an answer that says no, or a server that never answered. */
class ConnectionLost extends Error {
  readonly answered: boolean;
  constructor(message: string, answered = true) {
    super(message);
    this.answered = answered;
  }
}

/** Leaves the whole, checked file at `part`, and returns its SHA-256. */
export async function download(target: DownloadTarget, part: string, options: DownloadOptions): Promise<string> {
  let furthest = await sizeOf(part);
  let idle = 0;
  let answered = false;
  for (;;) {
    options.signal.throwIfAborted();
    try {
      return await attempt(target, part, options);
    } catch (thrown) {
      if ((await sizeOf(part)) === 0) await rm(part, { force: true });
      if (!(thrown instanceof ConnectionLost)) throw thrown;
      answered ||= thrown.answered;
      const arrived = await sizeOf(part);
      idle = arrived > furthest ? 1 : idle + 1;
      furthest = Math.max(furthest, arrived);
      if (idle >= options.tries || !answered) {
        if (furthest === 0) throw new Error(thrown.message);
        throw new Error(`${thrown.message}; what has arrived is kept, pull again to go on`);
      }
      await sleep(options.retryMs * idle, undefined, { signal: options.signal });
    }
  }
}

async function attempt(target: DownloadTarget, part: string, options: DownloadOptions): Promise<string> {
  const file = await open(part, "a+", 0o600);
  try {
    const etagFile = `${part}.etag`;
    const start = await resumeAt(file, etagFile, target);
    if (start > 0 && start === target.bytes) return await finish(file, part, await hashOf(file), target);
    const response = await request(target, start, etagFile, options);
    const from = await startOf(response, start, file);
    const offered = totalOf(response, from);
    const total = target.bytes ?? offered;
    if (offered !== null && offered !== total) throw new Error(`the server's file has ${offered} bytes, not ${total}`);
    await rememberEtag(response, etagFile);
    const hash = from > 0 ? await hashOf(file) : createHash("sha256");
    const received = await receive(response, file, hash, from, total, options);
    if (total !== null && received < total)
      throw new ConnectionLost(`the connection ended after ${received} of ${total} bytes`);
    await rm(etagFile, { force: true });
    return await finish(file, part, hash, target);
  } finally {
    await file.close();
  }
}

/** A part is of use only if it is not longer than the file, and the file can be told from another. */
async function resumeAt(file: FileHandle, etagFile: string, target: DownloadTarget): Promise<number> {
  const { size } = await file.stat();
  const known = target.sha256 !== null || (await readEtag(etagFile)) !== null;
  if (size > 0 && known && (target.bytes === null || size <= target.bytes)) return size;
  await file.truncate(0);
  return 0;
}

async function request(target: DownloadTarget, start: number, etagFile: string, options: DownloadOptions) {
  const etag = start > 0 ? await readEtag(etagFile) : null;
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (start > 0) headers.range = `bytes=${start}-`;
  if (etag !== null) headers["if-range"] = etag;
  let response: Response;
  try {
    response = await fetchFirstByte(target.url, headers, options);
  } catch (thrown) {
    options.signal.throwIfAborted();
    throw new ConnectionLost(messageOf(thrown), false);
  }
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel();
  const said = `the server answered with status ${response.status}`;
  if (response.status >= 500 || response.status === 429) throw new ConnectionLost(said);
  throw new Error(response.status === 404 ? "the server has no such file (status 404)" : said);
}

/** Where the answer's first byte belongs. A server that sends the whole file, or another part, starts it again. */
async function startOf(response: Response, asked: number, file: FileHandle): Promise<number> {
  const range = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
  if (response.status === 206 && asked > 0 && Number(range?.[1]) === asked) return asked;
  await file.truncate(0);
  if (response.status === 200) return 0;
  await response.body?.cancel();
  throw new ConnectionLost("the server cannot go on where the download stopped");
}

function totalOf(response: Response, from: number): number | null {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) ? from + length : null;
}

async function receive(
  response: Response,
  file: FileHandle,
  hash: Hash,
  from: number,
  total: number | null,
  options: DownloadOptions,
): Promise<number> {
  const reader = response.body?.getReader();
  if (!reader) return from;
  let received = from;
  options.onBytes(received, total);
  try {
    for (;;) {
      const chunk = await nextChunk(reader, options);
      if (chunk === null) return received;
      if (total !== null && received + chunk.length > total) {
        await file.truncate(0);
        throw new Error(`the server sends more than the ${total} bytes that the file should have`);
      }
      await writeWhole(file, chunk);
      hash.update(chunk);
      received += chunk.length;
      options.onBytes(received, total);
    }
  } finally {
    await file.sync();
    reader.cancel().catch(() => {});
  }
}

async function nextChunk(
  reader: { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> },
  options: DownloadOptions,
): Promise<Uint8Array | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ConnectionLost(`nothing has arrived for ${options.stallMs / 1000} seconds`));
    }, options.stallMs);
  });
  try {
    const { done, value } = await Promise.race([reader.read(), stalled]);
    return done || value === undefined ? null : value;
  } catch (thrown) {
    options.signal.throwIfAborted();
    throw thrown instanceof ConnectionLost
      ? thrown
      : new ConnectionLost(`the connection broke (${networkReason(thrown)})`);
  } finally {
    clearTimeout(timer);
  }
}

async function finish(file: FileHandle, part: string, hash: Hash, target: DownloadTarget): Promise<string> {
  const { size } = await file.stat();
  const sha256 = hash.digest("hex");
  const wrong =
    target.bytes !== null && size !== target.bytes
      ? `the file has ${size} bytes, not ${target.bytes}`
      : target.sha256 !== null && sha256 !== target.sha256
        ? `the file's SHA-256 is ${sha256}, not ${target.sha256}`
        : null;
  if (wrong === null) return sha256;
  await rm(part, { force: true });
  await rm(`${part}.etag`, { force: true });
  throw new Error(`${wrong}; it was thrown away`);
}

async function hashOf(file: FileHandle): Promise<Hash> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1 << 20);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return hash;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

async function rememberEtag(response: Response, etagFile: string): Promise<void> {
  const etag = response.headers.get("etag");
  if (etag !== null && !etag.startsWith("W/")) await writeFile(etagFile, etag, { mode: 0o600 });
  else await rm(etagFile, { force: true });
}

async function readEtag(etagFile: string): Promise<string | null> {
  return await readFile(etagFile, "utf8").catch(() => null);
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return 0;
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
