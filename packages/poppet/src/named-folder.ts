/**
 * Folders that people make for the assistant to read, a folder a name: their names, which there are, and the text of one
 * of their files. Nothing outside of a named folder is ever read, whatever a name, a path or a symbolic link says.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { PoppetError, type PoppetErrorCode, systemCode, systemReason } from "./error.ts";

export interface NamedFolder {
  /** The folder that has the named ones; it may be a link itself. */
  readonly base: string;
  /** From there to the named one: `weekly-review`, `acorn/skills/weekly-review`. */
  readonly folder: string;
}

export interface FileText {
  /** As a person finds it. */
  readonly path: string;
  /** With `\n` at the end of each line, and no byte order mark. */
  readonly text: string;
}

/** Completes "a name is …". */
export const nameRule = "1 to 64 lowercase letters, digits and single hyphens, none at its ends";

export function isName(text: string): boolean {
  return text.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

export function pathOf({ base, folder }: NamedFolder): string {
  return `${base}/${folder}`;
}

/** Whether there is anything of this name, right or broken. */
export function isThere(place: NamedFolder): boolean {
  try {
    lstatSync(pathOf(place));
    return true;
  } catch (thrown) {
    // What cannot be looked at is there, and reading it says why it cannot be used.
    return systemCode(thrown) !== "ENOENT" && systemCode(thrown) !== "ENOTDIR";
  }
}

/**
 * What stands in a folder and can be a named one, in order; none where there is no such folder. Hidden ones are not.
 * With `below`, the folder is that one of the base, and must not lead out of it.
 */
export function namesIn(base: string, code: PoppetErrorCode, below?: string): readonly string[] {
  const path = below === undefined ? base : `${base}/${below}`;
  try {
    if (below !== undefined && realpathSync(path) !== `${realpathSync(base)}/${below}`) {
      throw new PoppetError(code, `${path}: ${leadsOut}`, { exitCode: 2 });
    }
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith("."))
      .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && !isLinkToFile(`${path}/${entry.name}`)))
      .map((entry) => entry.name)
      .sort();
  } catch (thrown) {
    if (PoppetError.isInstance(thrown)) throw thrown;
    if (systemCode(thrown) === "ENOENT") return [];
    throw new PoppetError(code, `${path}: cannot be read: ${systemReason(thrown)}.`, { exitCode: 2 });
  }
}

/** A link that leads nowhere is one to say something about. */
function isLinkToFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const leadsOut = "is a link, or in one, that leads out of its folder; put a copy in its place.";

/** The text of a file below a named folder; `file` is a path that is known to have no `..` in it. */
export function readWithin(place: NamedFolder, file: string, limit: number, code: PoppetErrorCode): FileText {
  const path = `${pathOf(place)}/${file}`;
  const broken = (wrong: string, line?: number) =>
    new PoppetError(code, `${path}${line === undefined ? "" : `:${line}`}: ${wrong}`, { exitCode: 2 });
  const real = realPath(place, path, broken);
  const bytes = readBytes(real, limit, broken);
  const badLine = lineOfBadUtf8(bytes);
  if (badLine !== null) throw broken("is not UTF-8 text; save it as UTF-8.", badLine);
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  const nul = text.indexOf("\0");
  if (nul >= 0) throw broken("has a NUL character, so it is no text.", lineAt(text, nul));
  return { path, text };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

type Broken = (wrong: string, line?: number) => PoppetError;

/** Where the file really is, which must be where it seems to be: below the named folder of the real base. */
function realPath({ base, folder }: NamedFolder, path: string, broken: Broken): string {
  let home: string;
  let real: string;
  try {
    home = `${realpathSync(base)}/${folder}/`.replace(/^\/\//, "/");
    real = realpathSync(path);
  } catch (thrown) {
    throw broken(systemCode(thrown) === "ENOENT" ? "is not there." : `cannot be read: ${systemReason(thrown)}.`);
  }
  if (real.startsWith(home)) return real;
  throw broken(leadsOut);
}

function readBytes(real: string, limit: number, broken: Broken): Uint8Array {
  let handle: number | undefined;
  try {
    // What took the file's place since it was found is not followed, and a pipe is not waited for.
    handle = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = fstatSync(handle);
    if (!status.isFile()) throw broken("is no file.");
    // One more than may be, for a file that grows meanwhile.
    const bytes = new Uint8Array(limit + 1);
    let size = 0;
    for (let more = 1; more > 0; size += more) more = readSync(handle, bytes, size, bytes.length - size, null);
    if (size <= limit) return bytes.subarray(0, size);
    throw broken(`is larger than ${limit} bytes by ${Math.max(status.size, size) - limit}; shorten it.`);
  } catch (thrown) {
    throw PoppetError.isInstance(thrown) ? thrown : broken(`cannot be read: ${systemReason(thrown)}.`);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** A newline is never a part of another character, so each line can be looked at by itself. */
function lineOfBadUtf8(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  let line = 1;
  for (let from = 0; ; line++) {
    const end = bytes.indexOf(10, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
