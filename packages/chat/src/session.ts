/**
 * Providers that keep the conversation themselves, such as a command-line program with sessions of its own. The client
 * sends them what is new and remembers their state; whether they can show and edit their turns is theirs to say.
 */
import { emptyContext } from "./context.ts";
import { type Conversation, type ConversationModel, otherSnapshot, type SavedConversation } from "./conversation.ts";
import type { TranscriptEditor } from "./editor.ts";
import type { Json } from "./json.ts";
import { type UserMessage, userTexts } from "./messages.ts";
import type { Model, ModelEvent } from "./model.ts";

/** What to implement for a provider that keeps its conversations. */
export interface SessionProvider {
  readonly provider: string;
  readonly modelId: string;
  /** As of a Model. */
  readonly supportsSchema?: boolean;
  /** Begins a conversation, or goes on with one; opens nothing before the first `send`. `null`: a new one. */
  openSession(state: Json): ProviderSession;
}

/** One conversation that the provider keeps. */
export interface ProviderSession {
  /** The capability, where the provider can list and edit its own turns. */
  readonly editor?: TranscriptEditor;
  /** One message, answered by the contract of `Model.stream`. A message whose answer did not finish is not kept. */
  send(request: SessionRequest): AsyncIterable<ModelEvent>;
  /**
   * What `openSession` goes on from, for snapshots and for a turn that was not kept. `null`: nothing was said yet. It
   * stays good: what is said later is not in it.
   */
  state(): Json;
  /** Frees what the session holds. It does not wait: a running `send` is let end, and what it needs goes with it. */
  close(): Promise<void>;
}

/** What is new, as one text. */
export interface SessionRequest {
  readonly system: string;
  readonly text: string;
  readonly schema?: Json;
  readonly signal: AbortSignal;
}

/** The provider as a model for `createChat`. */
export function sessionModel(provider: SessionProvider): ConversationModel {
  const openConversation = () => sessionConversation(provider);
  return { provider: provider.provider, modelId: provider.modelId, openConversation };
}

function sessionConversation(provider: SessionProvider): Conversation {
  let session = provider.openSession(null);
  /** The session's state after the last turn or edit that was kept. */
  let kept: Json = null;
  let pending: readonly UserMessage[] = [];
  /** A turn began in this session, and may still run: it is something to clear. */
  let begun = false;

  /** Settles once what is being loaded has been read. */
  let read: Promise<unknown> = Promise.resolve();

  /** All in one, before the old one is closed: a call that comes meanwhile finds the new one whole. */
  async function replace(state: Json, added: readonly UserMessage[], replaced = () => {}): Promise<void> {
    const old = session;
    session = provider.openSession(state);
    kept = state;
    pending = added;
    begun = false;
    replaced();
    await old.close();
  }

  /** The session's own; what it leaves is what the next turn goes on from. */
  function editorOf(mine: ProviderSession): TranscriptEditor | null {
    const { editor } = mine;
    if (!editor) return null;
    const keeping = async <Result>(edit: Promise<Result>) => {
      const result = await edit;
      if (session === mine) kept = mine.state();
      return result;
    };
    return {
      read: (options) => editor.read(options),
      dropLast: (revision, count) => keeping(editor.dropLast(revision, count)),
      summarize: (revision, through, text) => keeping(editor.summarize(revision, through, text)),
    };
  }

  return {
    model: besideModel(provider),
    get editor() {
      return editorOf(session);
    },

    async begin() {
      await read;
      // The provider finished an answer that the client could not use.
      if (!same(session.state(), kept)) await replace(kept, pending);
      begun = true;
      const mine = session;
      const added = pending;
      let unsent = added;
      const model: Model = {
        provider: provider.provider,
        modelId: provider.modelId,
        supportsTools: false,
        supportsSchema: provider.supportsSchema ?? false,
        stream({ system, messages, schema, signal }) {
          const last = messages.filter((message) => message.role === "user").slice(-1);
          const text = [...unsent, ...last].flatMap(userTexts).join("\n\n");
          unsent = [];
          return mine.send({ system, text, signal, ...(schema !== undefined && { schema }) });
        },
      };
      return {
        model,
        context: emptyContext,
        async keep() {
          if (session !== mine) return false;
          kept = mine.state();
          pending = pending.filter((message) => !added.includes(message));
          return true;
        },
      };
    },

    async add(message) {
      await read;
      pending = [...pending, message];
    },

    async clear() {
      await read;
      if (!begun && kept === null && pending.length === 0) return false;
      await replace(null, []);
      return true;
    },

    async save(seen): Promise<SavedConversation> {
      await read;
      seen();
      return { type: "session", provider: provider.provider, state: kept, pending };
    },

    async load(given, loaded) {
      const reading = read.then(given);
      read = reading.catch(() => {});
      const saved = await reading;
      if (saved.type !== "session" || saved.provider !== provider.provider) throw otherSnapshot();
      await replace(saved.state, saved.pending, loaded);
    },
  };
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Each request in a session of its own. */
function besideModel(provider: SessionProvider): Model {
  return {
    provider: provider.provider,
    modelId: provider.modelId,
    supportsTools: false,
    async *stream({ system, messages, signal }) {
      const session = provider.openSession(null);
      try {
        const text = messages.flatMap((message) => (message.role === "user" ? userTexts(message) : [])).join("\n\n");
        yield* session.send({ system, text, signal });
      } finally {
        await session.close();
      }
    },
  };
}
