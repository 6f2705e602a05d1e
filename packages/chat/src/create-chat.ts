/** Makes a client: the line of its turns, its policy, and what it has spent. The promises are in chat-client.ts. */
import type { Answer, Call, ChatClient, ChatEvent, ChatInput, PolicyReport } from "./chat-client.ts";
import { type ChatOptions, capabilityMissing, checkOptions } from "./chat-options.ts";
import { systemClock } from "./clock.ts";
import { overheadBytes } from "./context.ts";
import { type TurnStart, transcriptConversation } from "./conversation.ts";
import { abortError, ChatError } from "./errors.ts";
import { wellFormed } from "./json.ts";
import { Line } from "./line.ts";
import type { Usage, UserMessage } from "./messages.ts";
import { CompactionTrigger } from "./policies/automatic.ts";
import { compact, compactNow } from "./policies/compact.ts";
import type { PolicyOutcome } from "./policies/policy.ts";
import { checkSnapshot, snapshotOf } from "./snapshot.ts";
import { toolsByName } from "./tools.ts";
import { memoryTranscript } from "./transcript.ts";
import { type TurnOptions, turn } from "./turn.ts";
import type { TurnEvent, TurnResult } from "./turn-events.ts";
import { addTurn, noUsage } from "./usage.ts";

/** Throws `option_invalid`, `tool_duplicate` or `capability_missing` for what cannot be. */
export function createChat(options: ChatOptions): ChatClient {
  const { limits, budget } = checkOptions(options);
  const { model, system = "", policy = compact({ at: Infinity }), clock = systemClock } = options;
  const newId = options.newId ?? (() => crypto.randomUUID());
  const conversation =
    "openConversation" in model
      ? model.openConversation()
      : transcriptConversation(model, options.transcript ?? memoryTranscript({ newId }), newId);
  if (options.policy && !conversation.editor) throw capabilityMissing(model.provider, "shorten it when told");
  const line = new Line();
  const newTrigger = () => (policy.type === "compact" ? new CompactionTrigger(policy) : null);
  let trigger = newTrigger();
  let tools = [...(options.tools ?? [])];
  let usage = noUsage;

  /** Waits for the call's turn. An abort gives its place up, even while nobody reads. */
  async function enter({ signal = new AbortController().signal }: Call) {
    const free = await line.enter(signal).catch(() => {
      throw abortError(signal.reason);
    });
    signal.addEventListener("abort", free, { once: true });
    const leave = () => {
      signal.removeEventListener("abort", free);
      free();
    };
    return { signal, leave };
  }

  /** Where the turn starts, once the policy has done its part. */
  async function* begin(input: UserMessage, signal: AbortSignal) {
    let start = await conversation.begin(budget);
    const { provider, modelId, supportsTools } = start.model;
    const overhead = overheadBytes(system, supportsTools ? tools : []);
    const next = () => {
      const request = { provider, model: modelId, overheadBytes: overhead };
      return { context: start.context, current: [input], budget, ...request };
    };
    let report: PolicyReport | null = null;
    if (trigger?.isDue(next()) && conversation.editor) {
      yield { type: "policy-start" } as const;
      report = await applyPolicy("", signal).catch((error: unknown) => {
        if (signal.aborted) throw abortError(signal.reason);
        return { changed: false, reason: "failed", error } as const;
      });
      start = await conversation.begin(budget);
      trigger.tried(next());
      yield { type: "policy-end", report } as const;
    }
    return { start, report };
  }

  async function applyPolicy(focus: string, signal: AbortSignal): Promise<PolicyOutcome> {
    if (policy.type === "truncate") return { changed: false, reason: "each-request" };
    if (!conversation.editor) throw capabilityMissing(model.provider, "shorten it when told");
    const spent = (one: Usage | null) => {
      usage = { ...usage, compactions: addTurn(usage.compactions, one) };
    };
    const { tokens } = budget;
    return compactNow(conversation.editor, policy, {
      ...{ model: conversation.model, tokens, focus, limits, clock, signal, spent },
    });
  }

  /** A turn under way, counted however it ends. No generator of its own: a delta through one more costs what a turn does with it. */
  function open(
    start: TurnStart,
    input: UserMessage,
    signal: AbortSignal,
    more: Partial<TurnOptions> = {},
  ): RunningTurn {
    const { effort, maxOutputTokens, authorize } = options;
    const events = turn({
      model: start.model,
      ...{ system, context: start.context, input, tools, limits, budget, signal, clock },
      ...(effort && { effort }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(authorize && { authorize }),
      ...more,
    });
    const steps: (Usage | null)[] = [];
    let result: TurnResult | null = null;
    return {
      events,
      see(next) {
        if (next.done) result = next.value;
        else if (next.value.type === "step-end") steps.push(next.value.usage);
      },
      async close() {
        usage = { ...usage, turns: addTurn(usage.turns, result?.usage ?? null, steps) };
        if (!result) await events.return(leftEarly);
      },
      completed() {
        const ended = result ?? leftEarly;
        if (ended.state !== "completed") throw ended.error;
        if (signal.aborted) throw abortError(signal.reason);
        return ended;
      },
    };
  }

  async function* stream(given: ChatInput, call: Call = {}): AsyncGenerator<ChatEvent, Answer> {
    const input = userMessage(given);
    const { signal, leave } = await enter(call);
    try {
      const { start, report } = yield* begin(input, signal);
      const running = open(start, input, signal);
      try {
        for (;;) {
          const next = await running.events.next();
          running.see(next);
          if (next.done) break;
          yield next.value;
        }
      } finally {
        await running.close();
      }
      const { text, usage: spent, messages } = running.completed();
      return { text, usage: spent, kept: await start.keep(messages), policy: report };
    } finally {
      leave();
    }
  }

  const client: ChatClient = {
    stream,

    chat: (given, call) => lastOf(stream(given, call)),

    async ask(given, schema, call = {}) {
      const input = userMessage(given);
      const { signal, leave } = await enter(call);
      try {
        const { start } = await lastOf(begin(input, signal));
        // Loaded when something is asked.
        const { askModel } = await import("./ask.ts");
        const { authorize } = options;
        const question = { model: start.model, system, tools, context: start.context, input };
        const { value, messages } = await askModel(question, schema, {
          ...call,
          ...(authorize && { authorize }),
          run: (more) => runToEnd(open(start, input, signal, more)),
        });
        await start.keep(messages);
        return value;
      } finally {
        leave();
      }
    },

    async add(given, call) {
      const message = userMessage(given);
      refuseAborted(call);
      await conversation.add(message);
    },

    async addCached(given, call) {
      const message = userMessage(given);
      refuseAborted(call);
      await conversation.add({ ...message, cached: true });
    },

    async clear(call) {
      refuseAborted(call);
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
      refuseAborted(call);
      return snapshotOf(await conversation.save(), usage);
    },

    async restore(given, call) {
      const snapshot = checkSnapshot(given);
      refuseAborted(call);
      await conversation.load(snapshot.conversation);
      usage = snapshot.usage;
      trigger = newTrigger();
    },

    async applyPolicyNow(call = {}) {
      refuseAborted(call);
      return applyPolicy(call.focus ?? "", call.signal ?? new AbortController().signal);
    },

    get editor() {
      return conversation.editor;
    },
  };
  return client;
}

type Completed = Extract<TurnResult, { state: "completed" }>;

/** Read event by event, each of them seen; closed however that ends; then asked what it came to. */
interface RunningTurn {
  readonly events: AsyncGenerator<TurnEvent, TurnResult>;
  see(next: IteratorResult<TurnEvent, TurnResult>): void;
  close(): Promise<void>;
  /** Throws where it did not complete. */
  completed(): Completed;
}

async function runToEnd(running: RunningTurn): Promise<Completed> {
  try {
    for (;;) {
      const next = await running.events.next();
      running.see(next);
      if (next.done) break;
    }
  } finally {
    await running.close();
  }
  return running.completed();
}

const leftEarly: Exclude<TurnResult, Completed> = {
  state: "interrupted",
  error: new ChatError("aborted", "The answer was not read to its end."),
  usage: null,
};

function userMessage(given: ChatInput): UserMessage {
  const { text, sources = [] } = typeof given === "string" ? { text: given } : given;
  const blank = text.trim() === "";
  if (blank && sources.length === 0) throw new ChatError("input_empty", "The message is empty: say something.");
  // Providers refuse white space alone.
  return wellFormed<UserMessage>({ role: "user", text: blank ? "" : text, ...(sources.length > 0 && { sources }) });
}

function refuseAborted({ signal }: Call = {}): void {
  if (signal?.aborted) throw abortError(signal.reason);
}

async function lastOf<Result>(running: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const next = await running.next();
    if (next.done) return next.value;
  }
}
