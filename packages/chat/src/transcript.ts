/**
 * A transcript: an append-only tree of completed exchanges and a movable tip, like commits and a branch. Entries never
 * change. Every change names the tip that it was computed from and is refused if that has moved.
 */
import { TranscriptEntryError, TranscriptMovedError } from "./errors.ts";
import { type Message, messageBytes } from "./messages.ts";

/** Opaque; of one transcript. */
export type EntryId = string;
/** The entry at which a conversation stands; null before the first. */
export type Tip = EntryId | null;

/** A message, or the mark behind which nothing is sent. */
export type EntryContent = Message | { readonly role: "clear" };

/** A node of the tree. It never changes, but for the summary beside it. */
export interface Entry {
  readonly id: EntryId;
  readonly parentId: Tip;
  /** Entries of one exchange share it. */
  readonly exchange: string;
  readonly content: EntryContent;
  readonly bytes: number;
  /** Text in place of this entry and all before it, once the conversation was compacted here. */
  readonly summary: string | null;
}

/** What to add, where, and on what tip it was computed. */
export interface TranscriptChange {
  /** The tip on which the change was computed. */
  readonly expected: Tip;
  /** The entry that the new ones follow: `expected`, or an older one to take back what came after it. */
  readonly parent: Tip;
  readonly exchange: string;
  /** Empty: the tip only moves to `parent`. */
  readonly content: readonly EntryContent[];
}

/** Where a conversation is kept; `describeTranscript` proves one. */
export interface Transcript {
  tip(): Promise<Tip>;
  /** From an entry to the first, newest first, read as far as the reader goes. Unknown ID: TranscriptEntryError. */
  back(from: Tip): AsyncIterable<Entry>;
  /** All or nothing; returns the new tip. The tip is no longer `expected`: TranscriptMovedError, nothing written. */
  commit(change: TranscriptChange): Promise<Tip>;
  /** Puts a summary beside an entry, the last of its exchange; no entry and no tip changes. Unknown ID: TranscriptEntryError. */
  summarize(through: EntryId, text: string): Promise<void>;
}

/** A transcript in memory, gone with the process. */
export function memoryTranscript(options: { readonly newId?: () => string } = {}): Transcript {
  const newId = options.newId ?? (() => crypto.randomUUID());
  const entries = new Map<EntryId, Entry>();
  let tip: Tip = null;

  function entry(id: EntryId): Entry {
    const found = entries.get(id);
    if (!found) throw new TranscriptEntryError(id);
    return found;
  }

  return {
    tip: async () => tip,

    async *back(from) {
      for (let at = from; at !== null; ) {
        const next = entry(at);
        yield next;
        at = next.parentId;
      }
    },

    async commit({ expected, parent, exchange, content }) {
      if (parent !== null) entry(parent);
      if (tip !== expected) throw new TranscriptMovedError();
      let at = parent;
      for (const one of content) {
        const id = newId();
        const bytes = one.role === "clear" ? 0 : messageBytes(one);
        entries.set(id, Object.freeze({ id, parentId: at, exchange, content: one, bytes, summary: null }));
        at = id;
      }
      tip = at;
      return tip;
    },

    async summarize(through, text) {
      entries.set(through, Object.freeze({ ...entry(through), summary: text }));
    },
  };
}
