/** What a client is made of, and the defaults. */
import type { Clock } from "./clock.ts";
import { type ContextBudget, inputTokens } from "./context.ts";
import type { ConversationModel } from "./conversation.ts";
import { ChatError } from "./errors.ts";
import type { Effort, Model } from "./model.ts";
import type { Policy } from "./policies/policy.ts";
import { truncated } from "./policies/truncate.ts";
import { type Tool, toolsByName } from "./tools.ts";
import type { Transcript } from "./transcript.ts";
import type { TurnLimits, TurnOptions } from "./turn.ts";

/** Only `model` has to be given. */
export interface ChatOptions {
  /** `languageModel(…)` makes one of any AI SDK model. */
  readonly model: Model | ConversationModel;
  /** Instructions; default: none. */
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** Where the conversation is kept; default: in memory. */
  readonly transcript?: Transcript;
  readonly limits?: Partial<ChatLimits>;
  /** Default: none. The limits hold in any case: what does not fit is left out of a request, oldest first. */
  readonly policy?: Policy;
  /** The model's window in tokens; default: 128,000. */
  readonly contextWindow?: number;
  /** Asked of the model with each request; default: what it does by itself. */
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /** Asked before a step's tool calls run: see `TurnOptions`. */
  readonly authorize?: TurnOptions["authorize"];
  readonly clock?: Clock;
  readonly newId?: () => string;
}

/** Inclusive: a value at its limit passes. Bytes are UTF-8, times milliseconds. */
export interface ChatLimits extends TurnLimits {
  /** Exchanges before the current one in a request. */
  readonly contextExchanges: number;
  /** UTF-8 bytes of a request, instructions and the current exchange included. */
  readonly contextBytes: number;
}

/**
 * 128 KiB of text, 1 MiB with continuation data, 5 minutes a turn, 60 seconds a request, 20 steps, 40 tool calls; 400
 * exchanges and 2 MiB of context.
 */
export const defaultLimits: ChatLimits = {
  answerBytes: 131_072,
  recordBytes: 1_048_576,
  turnMs: 300_000,
  requestMs: 60_000,
  steps: 20,
  toolCalls: 40,
  contextExchanges: 400,
  contextBytes: 2_097_152,
};

/** Throws `option_invalid`, `tool_duplicate`, or `capability_missing` where the model's provider cannot do it. */
export function checkOptions(options: ChatOptions): {
  readonly limits: ChatLimits;
  readonly budget: ContextBudget;
} {
  checkKinds(options ?? {});
  const { model, policy, contextWindow = null, maxOutputTokens = null } = options;
  const limits = options.limits ? { ...defaultLimits, ...options.limits } : defaultLimits;
  if (options.limits) for (const [name, limit] of Object.entries(limits)) checkAmount(name, limit);
  if (contextWindow !== null) checkAmount("contextWindow", contextWindow);
  if (maxOutputTokens !== null) checkAmount("maxOutputTokens", maxOutputTokens);
  toolsByName(options.tools ?? []);
  if ("openConversation" in model) refuseWhatIsTheProviders(model, options);
  const own: ContextBudget = {
    exchanges: limits.contextExchanges,
    bytes: limits.contextBytes,
    tokens: inputTokens(contextWindow, maxOutputTokens),
  };
  return { limits, budget: policy?.type === "truncate" ? truncated(own, policy) : own };
}

/** For who has no types. */
function checkKinds({ model, system = "", tools = [], transcript, policy }: Partial<ChatOptions>): void {
  if (model && "specificationVersion" in Object(model)) {
    throw invalid("This is a model of the AI SDK", "createChat languageModel(model)");
  }
  if (!has(model, "stream") && !has(model, "openConversation")) {
    throw invalid("model is no model", "what languageModel or defineProvider returns");
  }
  if (typeof system !== "string") throw invalid("system is no text", "a string");
  if (!Array.isArray(tools)) throw invalid("tools is no list", "a list of what defineTool returns");
  if (transcript && !has(transcript, "commit")) throw invalid("transcript is none", "a Transcript");
  if (policy && policy.type !== "truncate" && policy.type !== "compact") {
    throw invalid("policy is none", "what truncate or compact returns");
  }
}

function checkAmount(name: string, amount: unknown): void {
  if (!(typeof amount === "number" && amount >= 0)) throw invalid(`${name} is ${amount}`, "a number");
}

function has(value: unknown, method: string): boolean {
  return typeof (value as { readonly [name: string]: unknown } | null | undefined)?.[method] === "function";
}

function invalid(what: string, give: string): ChatError {
  return new ChatError("option_invalid", `${what}: give ${give}.`);
}

function refuseWhatIsTheProviders(
  { provider }: ConversationModel,
  { tools = [], transcript, policy, effort, maxOutputTokens }: ChatOptions,
): void {
  if (effort !== undefined || maxOutputTokens !== undefined) {
    throw capabilityMissing(provider, "be told effort or maxOutputTokens");
  }
  if (tools.length > 0) throw capabilityMissing(provider, "take tools");
  if (transcript || policy?.type === "truncate") throw capabilityMissing(provider, "leave its conversation to others");
}

/** The provider keeps its conversation itself, and this is not in its power. */
export function capabilityMissing(provider: string, what: string): ChatError {
  return new ChatError("capability_missing", `${provider} keeps the conversation itself and cannot ${what}.`, {
    details: { provider },
  });
}
