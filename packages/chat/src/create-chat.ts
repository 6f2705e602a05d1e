/** Makes a client: the line of its turns, its policy, and what it has spent. The promises are in chat-client.ts. */
import type { Answer, Call, ChatClient, ChatEvent, ChatInput, PolicyReport } from "./chat-client.ts";
import { checkSignal, userMessage } from "./chat-input.ts";
import { type ChatOptions, capabilityMissing, checkOptions } from "./chat-options.ts";
import { systemClock } from "./clock.ts";
import { emptyContext, fitContext, overheadBytes } from "./context.ts";
import { type TurnStart, transcriptConversation } from "./conversation.ts";
import { type Emit, generated } from "./emit.ts";
import { abortError } from "./errors.ts";
import { Line } from "./line.ts";
import type { Usage, UserMessage } from "./messages.ts";
import { CompactionTrigger } from "./policies/automatic.ts";
import { compact, compactNow } from "./policies/compact.ts";
import type { PolicyOutcome } from "./policies/policy.ts";
import { snapshotOf } from "./snapshot.ts";
import { toolsByName } from "./tools.ts";
import { memoryTranscript } from "./transcript.ts";
import { runTurn, type TurnOptions } from "./turn.ts";
import type { TurnEvent, TurnResult } from "./turn-events.ts";
import { addTurn, noUsage } from "./usage.ts";

/** Throws `option_invalid`, `tool_duplicate` or `capability_missing` for what cannot be. */
export function createChat(options: ChatOptions): ChatClient {
  const { limits, budget } = checkOptions(options);
  const { model, system = "", policy = whenAsked, clock = systemClock } = options;
  const newId = options.newId ?? (() => crypto.randomUUID());
  const conversation =
    "openConversation" in model
      ? model.openConversation()
      : transcriptConversation(model, options.transcript ?? memoryTranscript({ newId }), newId);
  if (options.policy && !conversation.editor) throw capabilityMissing(model.provider, "shorten it when told");
  const line = new Line();
  const newTrigger = () => (policy.type === "compact" && policy.at < Infinity ? new CompactionTrigger(policy) : null);
  let trigger = newTrigger();
  let tools = [...(options.tools ?? [])];
  let usage = noUsage;

  /** Does the work when it is the call's turn. An abort gives its place up, even while nobody reads. */
  async function inTurn<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    const leave = await line.enter(signal);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await work();
    } finally {
      signal?.removeEventListener("abort", leave);
      leave();
    }
  }

  /** Where the turn starts, once the policy has done its part. */
  async function begin(input: UserMessage, signal: AbortSignal | undefined, emit: Emit<ChatEvent>) {
    const start = await conversation.begin(budget);
    const { provider, modelId, supportsTools } = start.model;
    const next = ({ context }: TurnStart) => {
      const overhead = overheadBytes(system, supportsTools ? tools : []);
      return { context, current: [input], budget, provider, model: modelId, overheadBytes: overhead };
    };
    if (!conversation.editor || !trigger?.isDue(next(start))) return { start, report: null };
    await emit({ type: "policy-start" });
    const report = await applyPolicy("", signal).catch((error: unknown): PolicyReport => {
      if (signal?.aborted) throw abortError(signal.reason);
      return { changed: false, reason: "failed", error };
    });
    const again = await conversation.begin(budget);
    trigger.tried(next(again));
    await emit({ type: "policy-end", report });
    return { start: again, report };
  }

  async function applyPolicy(focus: string, signal = new AbortController().signal): Promise<PolicyOutcome> {
    if (policy.type === "truncate") return { changed: false, reason: "each-request" };
    if (!conversation.editor) throw capabilityMissing(model.provider, "shorten it when told");
    const spent = (one: Usage | null) => {
      usage = { ...usage, compactions: addTurn(usage.compactions, { usage: one, reported: one }) };
    };
    const { tokens } = budget;
    return compactNow(conversation.editor, policy, {
      ...{ model: conversation.model, tokens, focus, limits, clock, signal, spent },
    });
  }

  /** A turn, counted however it ends. Throws where it does not complete. */
  async function run(
    start: TurnStart,
    input: UserMessage,
    signal: AbortSignal | undefined,
    emit: Emit<TurnEvent>,
    more?: Partial<TurnOptions>,
  ): Promise<Completed> {
    const { effort, maxOutputTokens, authorize } = options;
    const result = await runTurn(
      {
        model: start.model,
        system,
        context: start.context,
        input,
        tools,
        limits,
        budget,
        effort,
        maxOutputTokens,
        authorize,
        signal,
        clock,
        ...more,
      },
      emit,
    );
    usage = { ...usage, turns: addTurn(usage.turns, result) };
    if (result.state !== "completed") throw result.error;
    if (signal?.aborted) throw abortError(signal.reason);
    return result;
  }

  async function answer(given: ChatInput, { signal }: Call, emit: Emit<ChatEvent>): Promise<Answer> {
    const input = userMessage(given);
    checkSignal({ signal });
    return inTurn(signal, async () => {
      const { start, report } = await begin(input, signal, emit);
      const { text, usage: spent, messages } = await run(start, input, signal, emit);
      return { text, usage: spent, kept: await start.keep(messages), policy: report };
    });
  }

  async function add(given: ChatInput, call?: Call, marks?: { readonly cached: true }): Promise<void> {
    const message = { ...userMessage(given), ...marks };
    checkSignal(call);
    // What no request can hold would never be seen, and nobody would be told.
    fitContext(emptyContext, [message], budget, {
      provider: "",
      model: "",
      overheadBytes: overheadBytes(system, tools),
    });
    await conversation.add(message);
  }

  const client: ChatClient = {
    stream: (given, call = {}) => generated((emit) => answer(given, call, emit)),

    chat: (given, call = {}) => answer(given, call, unheard),

    async ask(given, schema, call = {}) {
      const { signal } = call;
      const input = userMessage(given);
      checkSignal(call);
      return inTurn(signal, async () => {
        const { start } = await begin(input, signal, unheard);
        // Loaded when something is asked.
        const { askModel } = await import("./ask.ts");
        const { value, messages } = await askModel(
          { model: start.model, system, tools, context: start.context, budget, input },
          schema,
          { ...call, authorize: options.authorize, run: (more) => run(start, input, signal, unheard, more) },
        );
        await start.keep(messages);
        return value;
      });
    },

    add: (given, call) => add(given, call),

    addCached: (given, call) => add(given, call, { cached: true }),

    async clear(call) {
      checkSignal(call);
      trigger = newTrigger();
      return conversation.clear();
    },

    setTools(next) {
      if ("openConversation" in model) throw capabilityMissing(model.provider, "take tools");
      toolsByName(next);
      tools = [...next];
    },

    usage: () => usage,

    async snapshot(call) {
      checkSignal(call);
      let spent = usage;
      const saved = await conversation.save(() => {
        spent = usage;
      });
      return snapshotOf(saved, spent);
    },

    async restore(given, call) {
      checkSignal(call);
      let spent = usage;
      const read = async () => {
        // Loaded when a snapshot is restored.
        const { checkSnapshot } = await import("./check-snapshot.ts");
        const snapshot = checkSnapshot(given);
        checkSignal(call);
        spent = snapshot.usage;
        return snapshot.conversation;
      };
      await conversation.load(read, () => {
        usage = spent;
        trigger = newTrigger();
      });
    },

    async applyPolicyNow(call = {}) {
      checkSignal(call);
      return applyPolicy(call.focus ?? "", call.signal);
    },

    get editor() {
      return conversation.editor;
    },
  };
  return client;
}

/** Where the client has no policy. */
const whenAsked = compact({ at: Infinity });

type Completed = Extract<TurnResult, { state: "completed" }>;

/** Nobody is told of the events. */
function unheard(): void {}
