/**
 * What the assistant reports besides the library's ChatError. The message is one line: what happened, where, and what
 * to do. `exitCode` is what a command line ends with: 1 the command failed, 2 it was used wrongly.
 */
export const poppetErrorCodes = [
  "usage",
  "session_unknown",
  "session_ambiguous",
  "search_query",
  "title_invalid",
  "message_invalid",
  "config_invalid",
  "config_unreadable",
  "config_unwritable",
  "output_failed",
  "no_model",
  "provider_unknown",
  "workload_refused",
  "skill_unknown",
  "skill_invalid",
  "project_unknown",
  "project_invalid",
  "project_exists",
  "project_unwritable",
  "instructions_too_large",
  "store_newer",
  "store_damaged",
  "store_unwritable",
  "store_full",
  "store_busy",
  "store_moved",
  "store_failed",
  "model_missing",
  "model_unknown",
  "model_pull_failed",
  "local_engine",
  "run_lost",
  "run_failed",
  "owner_died",
  "interrupted",
] as const;
export type PoppetErrorCode = (typeof poppetErrorCodes)[number];

const marker = Symbol.for("poppet.error");

export class PoppetError extends Error {
  override readonly name = "PoppetError";
  readonly code: PoppetErrorCode;
  readonly exitCode: 1 | 2;

  constructor(code: PoppetErrorCode, message: string, options: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? (code === "usage" || code === "message_invalid" ? 2 : 1);
    Object.defineProperty(this, marker, { value: true });
  }

  /** Holds across two copies of this file: the built program has one in each of its parts. */
  static isInstance(value: unknown): value is PoppetError {
    return typeof value === "object" && value !== null && (value as { [marker]?: unknown })[marker] === true;
  }
}

/** What the system's codes mean for a file, a folder or a stream, as the end of "X cannot be read: …". */
const systemReasons: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOENT: "it is not there",
  EISDIR: "it is a folder",
  // Of `mkdir -p`, which takes a folder that is there.
  EEXIST: "it is no folder",
  ENOTDIR: "something on its path is no folder",
  ELOOP: "its links lead round in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it would become larger than is allowed",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EBUSY: "it is in use",
  EIO: "the disk failed",
};

/** The system's code for a refusal (`ENOSPC`); null where what was thrown has none. */
export function systemCode(thrown: unknown): string | null {
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : null;
}

/** Why the system refused something, in words. */
export function systemReason(thrown: unknown): string {
  const code = systemCode(thrown) ?? "";
  if (/^E[A-Z0-9]+$/.test(code)) return systemReasons[code] ?? code;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
