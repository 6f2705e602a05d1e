/**
 * Compaction: a summary is written beside an entry and stands for it and all before it; nothing is rewritten. It covers
 * whole exchanges only, so never a tool call without its result, and never the last. A summary that fails, is empty, or
 * is no shorter than what it stands for changes nothing.
 */
import { untilAborted } from "../abort.ts";
import { contextBytes } from "../context.ts";
import type { TranscriptEditor } from "../editor.ts";
import { abortError, ChatError } from "../errors.ts";
import type { CompactPolicy, PolicyOutcome } from "./policy.ts";
import { type SummaryRequest, summariser } from "./summary.ts";

/** What the writer is told beside what it is to shorten. */
export type CompactionRequest = Omit<SummaryRequest, "previous" | "exchanges">;

/** What `compactNow` does. */
export async function compaction(
  editor: TranscriptEditor,
  { keep, summarise }: CompactPolicy,
  request: CompactionRequest,
): Promise<PolicyOutcome> {
  const { revision, summary: previous, exchanges } = await editor.read();
  const old = exchanges.slice(0, -keep);
  const last = old.at(-1);
  if (!last) return { changed: false, reason: "nothing-old" };

  const write = typeof summarise === "function" ? summarise : summariser(summarise);
  const { signal } = request;
  const written = await untilAborted(write({ ...request, previous, exchanges: old }), signal).catch((thrown) => {
    throw signal.aborted ? abortError(signal.reason, "The summary") : thrown;
  });
  const text = written.toWellFormed();
  const bytes = {
    before: contextBytes({ summary: previous, exchanges: old }),
    after: contextBytes({ summary: text, exchanges: [] }),
  };
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
