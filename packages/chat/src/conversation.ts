/**
 * Where a client's conversation is kept: in a transcript, or by a provider that keeps its own (session.ts). What differs
 * between the two is here, so that the client and the commands know neither.
 */
import { type Context, type ContextBudget, emptyContext, readContext } from "./context.ts";
import { type TranscriptEditor, transcriptEditor } from "./editor.ts";
import { ChatError, TranscriptMovedError } from "./errors.ts";
import type { Json } from "./json.ts";
import { Line } from "./line.ts";
import type { Message, UserMessage } from "./messages.ts";
import type { Model } from "./model.ts";
import type { EntryContent, Tip, Transcript } from "./transcript.ts";

/** What a client needs of the place where its conversation is kept. */
export interface Conversation {
  readonly editor: TranscriptEditor | null;
  /** For questions beside the conversation, such as for a summary. */
  readonly model: Model;
  /** What a turn starts from. */
  begin(budget: Pick<ContextBudget, "exchanges" | "bytes">): Promise<TurnStart>;
  add(message: UserMessage): Promise<void>;
  /** False: there was nothing to clear. */
  clear(): Promise<boolean>;
  /** `seen` is called as it is taken, before any later call. */
  save(seen: () => void): Promise<SavedConversation>;
  /** In place of what there is. Calls that come while it is read wait for it; `loaded` is called before them. */
  load(read: () => Promise<SavedConversation>, loaded: () => void): Promise<void>;
}

/** A provider that keeps its conversations itself: see `sessionModel`. */
export interface ConversationModel {
  readonly provider: string;
  readonly modelId: string;
  openConversation(): Conversation;
}

/** A turn about to run. */
export interface TurnStart {
  readonly model: Model;
  readonly context: Context;
  /**
   * Adds the completed exchange after whatever was added, taken back or summarised while the model answered. False: a
   * clear came in between, and what was said before it, this too, is not kept.
   */
  keep(messages: readonly Message[]): Promise<boolean>;
}

/** A conversation as JSON: what the model could see, or what its provider goes on from. */
export type SavedConversation =
  | {
      readonly type: "transcript";
      readonly summary: string | null;
      /** Oldest first; each the messages of one exchange. */
      readonly exchanges: readonly (readonly Message[])[];
    }
  | {
      readonly type: "session";
      readonly provider: string;
      readonly state: Json;
      /** Added, and not yet sent. */
      readonly pending: readonly UserMessage[];
    };

export function transcriptConversation(model: Model, transcript: Transcript, newId: () => string): Conversation {
  // Held over reads and writes of the transcript only, never over a model call: a restore is several commits.
  const line = new Line();
  const editor = transcriptEditor(transcript);
  /** A turn began since the last clear, and may still run: it is something to clear. */
  let begun = false;

  /** Appends wherever the conversation stands, unless `refused` at that place. */
  async function append(
    content: readonly EntryContent[],
    refused?: (tip: Tip) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    for (;;) {
      const tip = await transcript.tip();
      if (await refused?.(tip)) return false;
      try {
        await transcript.commit({ expected: tip, parent: tip, exchange: newId(), content });
        return true;
      } catch (thrown) {
        // Another process was faster: look again where the conversation stands.
        if (!TranscriptMovedError.isInstance(thrown)) throw thrown;
      }
    }
  }

  return {
    model,
    editor: {
      read: (options) => line.serve(() => editor.read(options)),
      dropLast: (revision, count) => line.serve(() => editor.dropLast(revision, count)),
      summarize: (revision, through, text) => line.serve(() => editor.summarize(revision, through, text)),
    },

    async begin(budget) {
      const { from, context } = await line.serve(async () => {
        const tip = await transcript.tip();
        begun = true;
        return { from: tip, context: tip === null ? emptyContext : await readContext(transcript, tip, budget) };
      });
      const keep = (messages: readonly Message[]) =>
        line.serve(async () => {
          const kept = await append(messages, (tip) => tip !== from && clearedSince(transcript, from, tip));
          if (kept) begun = false;
          return kept;
        });
      return { model, context, keep };
    },

    async add(message) {
      await line.serve(() => append([message]));
    },

    clear: () =>
      line.serve(async () => {
        const blank = !begun && (await isBlank(transcript, await transcript.tip()));
        // Also where there is nothing here: a turn may run in another process.
        await append([{ role: "clear" }]);
        begun = false;
        return !blank;
      }),

    save: (seen) =>
      line.serve(async () => {
        const { summary, exchanges } = await editor.read();
        seen();
        return { type: "transcript", summary, exchanges: exchanges.map((one) => one.messages) };
      }),

    load: (read, loaded) =>
      line.serve(async () => {
        const saved = await read();
        if (saved.type !== "transcript") throw otherSnapshot();
        let tip = await transcript.tip();
        const commit = async (content: readonly EntryContent[]) => {
          tip = await transcript.commit({ expected: tip, parent: tip, exchange: newId(), content });
        };
        await commit([{ role: "clear" }]);
        if (tip !== null && saved.summary !== null) await transcript.summarize(tip, saved.summary);
        for (const messages of saved.exchanges) await commit(messages);
        loaded();
      }),
  };
}

/** Whether a clear stands between: whether the nearest one of the two paths is not the same. */
async function clearedSince(transcript: Transcript, from: Tip, tip: Tip): Promise<boolean> {
  const nearest = await nearestClear(transcript, tip, from);
  return nearest !== from && nearest !== null && nearest !== (await nearestClear(transcript, from));
}

/** The nearest clear behind an entry, or `until` where that comes first. */
async function nearestClear(transcript: Transcript, tip: Tip, until: Tip = null): Promise<Tip> {
  for await (const entry of transcript.back(tip)) {
    if (entry.id === until || entry.content.role === "clear") return entry.id;
  }
  return null;
}

async function isBlank(transcript: Transcript, tip: Tip): Promise<boolean> {
  for await (const entry of transcript.back(tip)) return entry.content.role === "clear" && entry.summary === null;
  return true;
}

/** What one keeps by itself and what a provider keeps are no use to each other. */
export function otherSnapshot(): ChatError {
  return new ChatError(
    "snapshot_invalid",
    "This snapshot is of a conversation kept elsewhere. Restore it in a client of the provider that it came from.",
  );
}
