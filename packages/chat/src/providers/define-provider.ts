/**
 * A provider of your own: what it is asked, it streams; that it keeps the contract of `Model.stream` in all other things
 * is seen to here. An abort ends the reading at once, whatever the provider does with its signal; a reader that leaves
 * early aborts the request; nothing is read after the finish; a stream without one is an error, and so is an event that
 * is none; a count of tokens that is no number is not known; whatever is thrown becomes a ChatError of its own kind with
 * no secret in it. `describeProvider` of `@poppet/chat/testing` proves the rest.
 */
import { Scope } from "../abort.ts";
import type { ConversationModel } from "../conversation.ts";
import { abortError, ChatError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { type ProviderSession, type SessionProvider, type SessionRequest, sessionModel } from "../session.ts";
import { abortableReader } from "./abortable-reader.ts";
import { checkedEvent } from "./checked-event.ts";
import { type ErrorContext, endedEarly, providerError } from "./provider-error.ts";

interface Definition {
  /** A stable name, such as `openai`. */
  readonly provider: string;
  readonly modelId: string;
  /** What errors call the provider. Default: `provider`. */
  readonly label?: string;
  /** Where the key comes from, for the error about a wrong one. */
  readonly keyHint?: string;
  /** Shown in no error that is made here, whoever repeats them. */
  readonly secrets?: readonly string[];
  /** True: a request's `schema` binds the answer's text. Default: false, and no request has one. */
  readonly supportsSchema?: boolean;
  /** The time that a `retry-after` counts from; default: the system's. */
  readonly now?: () => number;
}

/** A provider that is sent the whole conversation with each request. */
export interface ProviderDefinition extends Definition {
  /** Default: false, and no request has tools. */
  readonly supportsTools?: boolean;
  /**
   * One request, streamed; `signal` aborts also when its reader leaves. Events as they come, `finish` last. Throw a
   * ChatError, `responseError(response)`, or whatever `fetch` throws.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** A provider that keeps the conversation itself, and is sent only what is new. */
export interface SessionProviderDefinition extends Definition {
  /** See `SessionProvider`. Its `send` is called as `stream` above. */
  openSession(state: Json): ProviderSession;
}

/** A model of a provider of your own, for `createChat({model})`. Without a name: `option_invalid`. */
export function defineProvider(definition: ProviderDefinition): Model;
/** The same of a provider that keeps its conversation. */
export function defineProvider(definition: SessionProviderDefinition): SessionProvider & ConversationModel;
/** Either. */
export function defineProvider(
  definition: ProviderDefinition | SessionProviderDefinition,
): Model | (SessionProvider & ConversationModel) {
  const { provider, modelId, supportsSchema = false } = definition;
  if (provider === "" || modelId === "") {
    throw new ChatError("option_invalid", "A provider needs a name and the name of its model: neither may be empty.");
  }
  const context = errorContext(definition);
  if ("openSession" in definition) {
    const openSession = (state: Json) => heldSession(definition.openSession(state), context);
    const sessions: SessionProvider = { provider, modelId, supportsSchema, openSession };
    return { ...sessions, ...sessionModel(sessions) };
  }
  const { supportsTools = false } = definition;
  const stream = (request: ModelRequest) => held((own: ModelRequest) => definition.stream(own), request, context);
  return { provider, modelId, supportsTools, supportsSchema, stream };
}

function heldSession(session: ProviderSession, context: ErrorContext): ProviderSession {
  const { editor } = session;
  return {
    ...(editor && { editor }),
    send: (request) => held((own: SessionRequest) => session.send(own), request, context),
    state: () => session.state(),
    close: () => session.close(),
  };
}

async function* held<Request extends { readonly signal: AbortSignal }>(
  open: (request: Request) => AsyncIterable<ModelEvent>,
  request: Request,
  context: ErrorContext,
): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  if (signal.aborted) throw abortError(signal.reason, "The request");
  const scope = new Scope(signal);
  const reader = abortableReader(() => open({ ...request, signal: scope.signal }), signal);
  let started = false;
  try {
    for (;;) {
      const next = await reader.next();
      if (next.done) throw endedEarly(context, started);
      started = true;
      const event = checkedEvent(next.value, context.label);
      yield event;
      if (event.type === "finish") return;
    }
  } catch (thrown) {
    if (signal.aborted) throw abortError(signal.reason, "The request");
    throw providerError(thrown, context, started);
  } finally {
    reader.leave();
    scope.abort(new ChatError("aborted", "The request has ended."));
  }
}

function errorContext({ provider, modelId, label, keyHint, secrets, now }: Definition): ErrorContext {
  return {
    ...{ provider, modelId, label: label ?? provider, keyHint: keyHint ?? null },
    ...{ secrets: secrets ?? [], now: now ?? Date.now },
  };
}
