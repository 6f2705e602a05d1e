/**
 * Compaction: a summary is written beside an entry and stands for it and all before it; nothing is rewritten. It covers
 * whole exchanges only, so never a tool call without its result, and never the last. A summary that fails, is empty, or
 * is no shorter than what it stands for changes nothing.
 */
import { Scope, untilAborted } from "../abort.ts";
import { contextBytes } from "../context.ts";
import type { TranscriptEditor } from "../editor.ts";
import { abortError, ChatError } from "../errors.ts";
import { turnDeadline } from "../turn.ts";
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

  const text = (await written(summarise, { ...request, previous, exchanges: old })).toWellFormed();
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

/** A writer of one's own has a turn's time; the usual one has it for each part. */
async function written(summarise: CompactPolicy["summarise"], request: SummaryRequest): Promise<string> {
  const { clock, limits } = request;
  const isOwn = typeof summarise === "function";
  const deadline = { ms: limits.turnMs, clock, error: () => turnDeadline(limits.turnMs) };
  const scope = new Scope(request.signal, isOwn ? deadline : undefined);
  const write = isOwn ? summarise : summariser(summarise);
  try {
    scope.throwIfAborted();
    return await untilAborted(write({ ...request, signal: scope.signal }), scope);
  } catch (thrown) {
    throw scope.aborted ? abortError(scope.reason, "The summary") : thrown;
  } finally {
    scope.release();
  }
}

function refused(why: string, details: { readonly before: number; readonly after: number }): ChatError {
  return new ChatError(
    "summary_refused",
    `The summary ${why}, so the conversation was left as it is. Try again, or with another model.`,
    { details },
  );
}
