/**
 * The capability to read and edit a conversation. Only who holds the conversation can have it, so a client has it or
 * not: `client.editor` is a value or null. Each edit names the revision that it was computed from and is refused with
 * TranscriptMovedError, nothing written, where the conversation has changed since.
 */
import { readContext } from "./context.ts";
import { TranscriptEntryError, TranscriptMovedError } from "./errors.ts";
import { type Exchange, type Message, messageBytes } from "./messages.ts";
import type { EntryId, Tip, Transcript } from "./transcript.ts";

/** Edits from an older revision throw TranscriptMovedError. */
export interface TranscriptEditor {
  /** What the model can see now, back to the last clear or summary; `newest`: only so many exchanges of it. */
  read(options?: { readonly newest?: number }): Promise<EditorView>;
  /** Takes back the newest exchanges, never past a clear, and returns them, oldest first: fewer where fewer are left. */
  dropLast(revision: string, count: number): Promise<readonly Exchange[]>;
  /** From now on the text stands for this exchange and all before it. Unknown exchange: TranscriptEntryError. */
  summarize(revision: string, throughExchange: string, text: string): Promise<void>;
}

/** A conversation at one revision. */
export interface EditorView {
  /** Opaque; it changes with the conversation. */
  readonly revision: string;
  /** What stands for everything before the exchanges; null without one, or where the reading ended before it. */
  readonly summary: string | null;
  /** Oldest first. */
  readonly exchanges: readonly Exchange[];
}

/** The editor of anything that keeps its conversation in a Transcript. A revision is its tip. */
export function transcriptEditor(transcript: Transcript): TranscriptEditor {
  async function checked(revision: string): Promise<Tip> {
    const tip = await transcript.tip();
    if (revisionOf(tip) !== revision) throw new TranscriptMovedError();
    return tip;
  }

  return {
    async read({ newest = Infinity } = {}) {
      const tip = await transcript.tip();
      const { summary, exchanges } = await readContext(transcript, tip, { exchanges: newest, bytes: Infinity });
      return { revision: revisionOf(tip), summary, exchanges };
    },

    async dropLast(revision, count) {
      const tip = await checked(revision);
      const { dropped, parent } = await newestExchanges(transcript, tip, count);
      if (dropped.length > 0) await transcript.commit({ expected: tip, parent, exchange: "", content: [] });
      return dropped;
    },

    /** The check is not in one step with the writing, and need not be: a summary hides nothing that comes after it. */
    async summarize(revision, throughExchange, text) {
      const tip = await checked(revision);
      await transcript.summarize(await lastEntry(transcript, tip, throughExchange), text);
    },
  };
}

function revisionOf(tip: Tip): string {
  return tip ?? "";
}

/** Reads through summaries: what one stands for is still there. `parent` is where the conversation stood before them. */
async function newestExchanges(transcript: Transcript, tip: Tip, count: number) {
  const dropped: { id: string; messages: Message[]; bytes: number }[] = [];
  let parent = tip;
  for await (const entry of transcript.back(tip)) {
    if (entry.content.role === "clear") break;
    if (dropped[0]?.id !== entry.exchange) {
      if (!(dropped.length < count)) break;
      dropped.unshift({ id: entry.exchange, messages: [], bytes: 0 });
    }
    dropped[0]?.messages.unshift(entry.content);
    if (dropped[0]) dropped[0].bytes += messageBytes(entry.content);
    parent = entry.parentId;
  }
  return { dropped, parent };
}

async function lastEntry(transcript: Transcript, tip: Tip, exchange: string): Promise<EntryId> {
  for await (const entry of transcript.back(tip)) {
    if (entry.content.role === "clear") break;
    if (entry.exchange === exchange) return entry.id;
  }
  throw new TranscriptEntryError(exchange);
}
