/**
 * A conversation with one model, for an application to hold. None of its calls looks for commands: only `runCommand`
 * does, and only in the text that it is handed.
 *
 * Calls that ask the model for an answer, `chat`, `stream` and `ask`, form a line: one runs, the others wait for it, first
 * come first served. All other calls act at once, also while the model answers: no lock is held over a model call. A turn
 * takes effect when it completes: its exchange is added after whatever was added, taken back or summarised in the
 * meantime, and never fails for that. Only a `clear` or `restore` in between ends what was said before it, this turn too: the
 * caller still gets the answer, with `kept: false`.
 */
import type { TranscriptEditor } from "./editor.ts";
import type { Json } from "./json.ts";
import type { Source, Usage } from "./messages.ts";
import type { PolicyOutcome } from "./policies/policy.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StandardSchema, Tool } from "./tools.ts";
import type { TurnEvent } from "./turn-events.ts";
import type { ChatUsage } from "./usage.ts";

/**
 * Made by `createChat`. Whatever a call throws is a ChatError, unless a store, tool or summariser of your own threw
 * something else.
 */
export interface ChatClient {
  /**
   * Asks, and waits for the whole answer. Throws ChatError; the conversation is then as it was before, without the input.
   * Empty input: `input_empty`.
   */
  chat(input: ChatInput, call?: Call): Promise<Answer>;
  /**
   * The same, event by event; returns the answer, and throws as `chat` does. It holds its place in the line until it is
   * read to its end, left (`break`, `return()`) or aborted. Left early, it adds nothing.
   */
  stream(input: ChatInput, call?: Call): AsyncGenerator<ChatEvent, Answer>;
  /**
   * Asks for one value that fits the schema, by what the model has: its own structured output, else a tool, else an
   * instruction. The answer is checked by the schema and is in the conversation as JSON text. No fit: `answer_invalid`.
   */
  ask<Output>(input: ChatInput, schema: StandardSchema<Output>, call?: AskCall): Promise<Output>;
  /** Adds a user message without asking the model: an exchange of its own. */
  add(input: ChatInput, call?: Call): Promise<void>;
  /**
   * The same, marked for the provider's prompt cache: Anthropic keeps what it worked out up to here, of at most the last
   * four such messages; other providers are sent no mark. `clear` drops it like any message; the cache itself lives on.
   */
  addCached(input: ChatInput, call?: Call): Promise<void>;
  /** Forgets what was said; system prompt, model, tools and usage stay. False: there was nothing to forget. */
  clear(call?: Call): Promise<boolean>;
  /** From the next turn on. They cannot be read back. With a provider that keeps its conversation: `capability_missing`. */
  setTools(tools: readonly Tool[]): void;
  /** What was spent so far, also on failures and on what was cleared since. */
  usage(): ChatUsage;
  /** What the model can see now, and the usage, as a plain JSON value; not the system prompt, the model or the tools. */
  snapshot(call?: Call): Promise<Snapshot>;
  /**
   * Puts a snapshot in place of the conversation. Nothing in it is run. What is no snapshot: `snapshot_invalid`; one of a
   * newer version of this package: `snapshot_newer`; the conversation is then as it was. It is several commits: where
   * another process adds to the same transcript in between, TranscriptMovedError, and what was restored by then stays.
   */
  restore(snapshot: unknown, call?: Call): Promise<void>;
  /**
   * Applies the client's policy, or `compact()` where it has none. Acts beside a running turn; if the conversation changes
   * before the summary is there: TranscriptMovedError, nothing written. Without an editor: `capability_missing`.
   */
  applyPolicyNow(call?: PolicyCall): Promise<PolicyOutcome>;
  /** Null: this conversation is kept by a provider that cannot list its turns. */
  readonly editor: TranscriptEditor | null;
}

/** `sources`: what came with the text and is not the person's own words; the model sees it as labelled, untrusted data. */
export type ChatInput = string | { readonly text: string; readonly sources?: readonly Source[] };

/** What every call takes. */
export interface Call {
  /** Its reason, where it is a ChatError, is what the call throws; else `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** How `ask` goes about it. */
export interface AskCall extends Call {
  /** Where the schema does not give its own by Standard JSON Schema. */
  readonly jsonSchema?: Json;
  /** True: an answer that does not fit is sent back once, with what is wrong. Default: false, nothing is asked twice. */
  readonly repair?: boolean;
}

/** How the policy is applied now. */
export interface PolicyCall extends Call {
  /** What the summary is to keep above all. */
  readonly focus?: string;
}

/** What a turn came to. */
export interface Answer {
  /** The last step's text. */
  readonly text: string;
  /** The sum over the turn's requests; null where one reported none. */
  readonly usage: Usage | null;
  /** False: the conversation was cleared or replaced while the model answered. */
  readonly kept: boolean;
  /** What the policy did before the turn; null: it was not its time. */
  readonly policy: PolicyReport | null;
}

/** A turn's events, and before them what the policy did, if it had to act. It never makes a turn fail. */
export type ChatEvent =
  | TurnEvent
  | { readonly type: "policy-start" }
  | { readonly type: "policy-end"; readonly report: PolicyReport };

/** A failure (a ChatError, unless a store or a summariser of your own threw something else) left all as it was. */
export type PolicyReport =
  | PolicyOutcome
  | { readonly changed: false; readonly reason: "failed"; readonly error: unknown };
