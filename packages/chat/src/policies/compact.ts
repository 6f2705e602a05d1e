/** The policy that bounds a long conversation by summaries of what is old. */
import type { TranscriptEditor } from "../editor.ts";
import { checkCount } from "./check-count.ts";
import type { CompactionRequest } from "./compaction.ts";
import type { CompactPolicy, PolicyOutcome } from "./policy.ts";
import type { Summariser, SummariserOptions } from "./summary.ts";

/** All of them may be left out. */
export interface CompactOptions {
  /**
   * Estimated tokens of a request at which a summary is written before it is sent. Never more than eight tenths of what
   * the model's window leaves for a request, which is the default; Infinity: only when asked.
   */
  readonly at?: number;
  /** The newest exchanges that stay as they are, at least 1; default: 2. */
  readonly keep?: number;
  /** Who writes the summary and by what prompt, or a writer of your own, which has `limits.turnMs` for it. */
  readonly summarise?: SummariserOptions | Summariser;
}

/** Bounds a long conversation by summaries of what is old. An option that cannot be: `option_invalid`. */
export function compact(options: CompactOptions = {}): CompactPolicy {
  const { at = Number.MAX_SAFE_INTEGER, keep = 2, summarise = {} } = options;
  checkCount("compact: at", at, 1);
  checkCount("compact: keep", keep, 1);
  return { type: "compact", at, keep, summarise };
}

/**
 * Compacts now, by work that is loaded when it is first asked for. Throws the summariser's ChatError, `summary_refused`,
 * or TranscriptMovedError; the conversation is then as it was.
 */
export async function compactNow(
  editor: TranscriptEditor,
  policy: CompactPolicy,
  request: CompactionRequest,
): Promise<PolicyOutcome> {
  const { compaction } = await import("./compaction.ts");
  return compaction(editor, policy, request);
}
