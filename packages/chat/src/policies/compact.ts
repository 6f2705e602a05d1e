/**
 * Compaction: a summary is written beside an entry and stands for it and all before it; nothing is rewritten. It covers
 * whole exchanges only, so never a tool call without its result, and never the last. A summary that fails, is empty, or
 * is no shorter than what it stands for changes nothing.
 */
import { contextBytes } from "../context.ts";
import type { TranscriptEditor } from "../editor.ts";
import { abortError, ChatError } from "../errors.ts";
import { utf8Length } from "../text.ts";
import { type CompactPolicy, checkCount, type PolicyOutcome } from "./policy.ts";
import type { Summariser, SummariserOptions, SummaryRequest } from "./summary.ts";

/** All of them may be left out. */
export interface CompactOptions {
  /**
   * Estimated tokens of a request at which a summary is written before it is sent. Never more than eight tenths of what
   * the model's window leaves for a request, which is the default; Infinity: only when asked.
   */
  readonly at?: number;
  /** The newest exchanges that stay as they are, at least 1; default: 2. */
  readonly keep?: number;
  /** Who writes the summary and by what prompt, or a writer of your own. */
  readonly summarise?: SummariserOptions | Summariser;
}

/** Bounds a long conversation by summaries of what is old. An option that cannot be: `option_invalid`. */
export function compact(options: CompactOptions = {}): CompactPolicy {
  const { at = Number.MAX_SAFE_INTEGER, keep = 2, summarise = {} } = options;
  checkCount("compact: at", at, 1);
  checkCount("compact: keep", keep, 1);
  return {
    type: "compact",
    at,
    keep,
    summarise: typeof summarise === "function" ? summarise : (request) => write(request, summarise),
  };
}

/** The writer is loaded when the first summary is written. */
async function write(request: SummaryRequest, options: SummariserOptions): Promise<string> {
  const { summariser } = await import("./summary.ts");
  return summariser(options)(request);
}

/** Throws the summariser's ChatError, `summary_refused`, or TranscriptMovedError; the conversation is then as it was. */
export async function compactNow(
  editor: TranscriptEditor,
  { keep, summarise }: CompactPolicy,
  request: Omit<SummaryRequest, "previous" | "exchanges">,
): Promise<PolicyOutcome> {
  const { revision, summary: previous, exchanges } = await editor.read();
  const old = exchanges.slice(0, -keep);
  const last = old.at(-1);
  if (!last) return { changed: false, reason: "nothing-old" };

  const text = (await summarise({ ...request, previous, exchanges: old })).toWellFormed();
  if (request.signal.aborted) throw abortError(request.signal.reason, "The summary");
  const bytes = { before: contextBytes({ summary: previous, exchanges: old }), after: utf8Length(text) };
  if (text.trim() === "") throw refused("is empty", bytes);
  if (bytes.after >= bytes.before) {
    throw refused(`is as long as what it stands for, ${bytes.after} of ${bytes.before} bytes`, bytes);
  }
  await editor.summarize(revision, last.id, text);
  return { changed: true, exchanges: old.length, bytes };
}

function refused(why: string, details: { readonly before: number; readonly after: number }): ChatError {
  return new ChatError(
    "summary_refused",
    `The summary ${why}, so the conversation was left as it is. Try again, or with another model.`,
    { details },
  );
}
