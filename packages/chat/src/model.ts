/**
 * What the turn loop needs of a model. `languageModel()` makes one of any AI SDK model, `defineProvider()` one of a
 * provider of your own.
 */
import type { Json } from "./json.ts";
import type { Message, Usage } from "./messages.ts";
import type { Tool } from "./tools.ts";

/** A model that answers from the messages that it is sent. */
export interface Model {
  /** A stable name, such as `openai`. With `modelId` it decides who may get continuation data back. */
  readonly provider: string;
  readonly modelId: string;
  /** False: no tool definitions are sent, and the model answers in text. */
  readonly supportsTools: boolean;
  /** True: a request's `schema` binds the answer's text. Default: false, and no request has one. */
  readonly supportsSchema?: boolean;
  /**
   * One request, streamed; nothing is retried. Events come as the provider sends them, text whole and in order, and
   * `finish` is the last; a stream that ends without one counts as cut off. Throws ChatError with a ProviderErrorCode for
   * what the provider or the network does, with no key in it. On abort the iterator ends or throws at once, and when its
   * reader leaves it is over: in both cases the request's connection is closed. Aborted before: nothing is sent.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** One request, whole. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** JSON Schema that the text of the answer is to fit. */
  readonly schema?: Json | undefined;
  readonly effort?: Effort | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly signal: AbortSignal;
}

/** How hard the model is to think, where it can be told. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** What a model streams. */
export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  /** `section` counts from 0; a provider that thinks in sections raises it at each. */
  | { readonly type: "reasoning"; readonly section: number; readonly delta: string }
  /** Arguments of a tool request that is not whole yet: counted against the limits, so that they hold in time. Optional. */
  | { readonly type: "tool-input"; readonly delta: string }
  /** A complete tool request. `input` is JSON text as the model wrote it, not yet checked. */
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: string }
  /** `continuation` is the provider's own record of the whole message, for later requests to it. */
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly usage: Usage | null;
      readonly continuation: Json | null;
    };

/** Why an answer ended. */
export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "error" | "interrupted" | "other";
