/**
 * One turn: a message, then model and tools until an answer. Stores nothing and draws nothing: it yields what happens
 * and returns how it ended. It never throws for what a model, a tool or a signal does, and a turn that does not complete
 * hands out nothing that could be taken for an answer. Nothing is retried.
 */
import { abortableReader, childScope, untilAborted } from "./abort.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Context, type ContextBudget, fitContext, overheadBytes } from "./context.ts";
import { abortError, ChatError, messageOf } from "./errors.ts";
import { type Json, wellFormed } from "./json.ts";
import {
  type AssistantMessage,
  type Message,
  messageBytes,
  sumUsage,
  type ToolCall,
  type UserMessage,
} from "./messages.ts";
import type { Effort, Model, ModelEvent, ModelRequest } from "./model.ts";
import { refuseRecord, type StepAnswer, StepGatherer } from "./step.ts";
import { runBatch } from "./tool-batch.ts";
import { checkBatch, type Tool, toolsByName } from "./tools.ts";
import type { TurnEvent, TurnResult } from "./turn-events.ts";

/** Inclusive: a value at its limit passes. Times in milliseconds. */
export interface TurnLimits {
  /** UTF-8 bytes of one step's text. */
  readonly answerBytes: number;
  /** UTF-8 bytes of all the turn's assistant messages, continuation data included. */
  readonly recordBytes: number;
  readonly turnMs: number;
  /** From sending one request to its end. */
  readonly requestMs: number;
  readonly steps: number;
  readonly toolCalls: number;
}

/** What a turn is made of; it reads and writes nothing else. */
export interface TurnOptions {
  readonly model: Model;
  readonly system: string;
  readonly context: Context;
  readonly input: UserMessage;
  readonly tools: readonly Tool[];
  readonly limits: TurnLimits;
  readonly budget: ContextBudget;
  readonly effort?: Effort;
  readonly maxOutputTokens?: number;
  /** JSON Schema of the answer's text, for a model with `supportsSchema`. */
  readonly schema?: Json;
  /** A step that calls this tool is the last, whatever comes of the call; the exchange then ends with the results. */
  readonly finalTool?: string;
  /** Sees a step's known and valid tool calls together, before any of them runs; returns the reason of each refusal by ID. */
  readonly authorize?: (batch: readonly ToolCall[]) => Promise<ReadonlyMap<string, string>>;
  /** Messages for the running turn, taken between steps and once more before it ends. What it returns is in the turn. */
  readonly steer?: () => Promise<readonly string[]>;
  /** Its reason, where it is a ChatError, becomes the result's error. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** What listens to a signal hears of these when all is over; made once, as an error costs more than the rest of an end. */
const turnEnded = new ChatError("aborted", "The turn has ended.");
const requestEnded = new ChatError("aborted", "The request has ended.");

/** Yields what happens; returns how it ended. The reader decides the pace; returned from early, it stops. */
export async function* turn(options: TurnOptions): AsyncGenerator<TurnEvent, TurnResult> {
  const { model, limits, clock = systemClock } = options;
  const tools = model.supportsTools ? options.tools : [];
  const overhead = overheadBytes(options.system, tools);
  const messages: Message[] = [wellFormed(options.input)];
  const steps: StepGatherer[] = [];
  const usedIds = new Set<string>();
  let recordBytes = 0;
  let toolCalls = 0;
  const usage = () => sumUsage(steps.map((step) => step.usage));

  const scope = childScope(options.signal, {
    ms: limits.turnMs,
    clock,
    error: () => turnDeadline(limits.turnMs),
  });
  const { signal } = scope;
  try {
    const byName = toolsByName(tools);
    for (let step = 1; ; step++) {
      yield { type: "step-start", step };
      const request = { provider: model.provider, model: model.modelId, overheadBytes: overhead };
      const sent = fitContext(options.context, messages, options.budget, request);
      const gathered = new StepGatherer(step, limits, recordBytes);
      steps.push(gathered);
      const asked = ask(options, sent, tools, signal, clock);
      try {
        while (!gathered.finished) {
          const next = await asked.next();
          if (next.done) break;
          const event = gathered.take(next.value);
          if (event) yield event;
        }
      } finally {
        asked[Symbol.dispose]();
      }
      signal.throwIfAborted();

      const answer = gathered.end(usedIds);
      const checked = await untilAborted(checkBatch(answer.toolRequests, byName, options.authorize), signal);
      const calls = checked.map((one) => one.call);
      const message = assistantMessage(answer, calls, model, overhead, sent);
      recordBytes += messageBytes(message);
      refuseRecord(recordBytes, limits.recordBytes);
      messages.push(message);
      toolCalls += calls.length;
      const isFinal = calls.some((call) => call.toolName === options.finalTool);
      if (calls.length > 0 && step >= limits.steps && !isFinal) throw stepLimit(limits.steps);
      if (toolCalls > limits.toolCalls) throw toolCallLimit(limits.toolCalls, toolCalls);
      yield { type: "step-end", step, final: calls.length === 0, usage: answer.usage };

      if (calls.length > 0) {
        const results = yield* runBatch(checked, step, signal);
        messages.push({ role: "tool", results });
        if (isFinal) return { state: "completed", text: answer.text, messages, usage: usage() };
      }
      const steered = options.steer && step < limits.steps ? await untilAborted(options.steer(), signal) : [];
      for (const text of steered.map((one) => one.toWellFormed())) {
        signal.throwIfAborted();
        messages.push({ role: "user", text });
        yield { type: "steered", step, text };
      }
      signal.throwIfAborted();
      if (calls.length === 0 && steered.length === 0) {
        return { state: "completed", text: answer.text, messages, usage: usage() };
      }
    }
  } catch (thrown) {
    const error = signal.aborted ? abortError(signal.reason, "The turn") : asChatError(thrown);
    const interrupted = options.signal.aborted && error.code !== "turn_deadline";
    return { state: interrupted ? "interrupted" : "failed", error, usage: usage() };
  } finally {
    scope.abort(turnEnded);
    scope[Symbol.dispose]();
  }
}

/** One request, read event by event; ended by its deadline, with the turn, or when it is disposed of. */
function ask(
  options: TurnOptions,
  messages: readonly Message[],
  tools: readonly Tool[],
  parent: AbortSignal,
  clock: Clock,
): Disposable & { next(): Promise<IteratorResult<ModelEvent>> } {
  const { model, system, effort, maxOutputTokens, schema, limits } = options;
  const scope = childScope(parent, {
    ms: limits.requestMs,
    clock,
    error: () => deadlineError("request_deadline", "The provider's answer", limits.requestMs),
  });
  const { signal } = scope;
  const request: ModelRequest = {
    system,
    messages,
    tools,
    signal,
    ...(effort && { effort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(schema !== undefined && { schema }),
  };
  const reader = abortableReader(() => model.stream(request), signal);
  return {
    next: () => reader.next(),
    [Symbol.dispose]() {
      reader[Symbol.dispose]();
      scope[Symbol.dispose]();
      scope.abort(requestEnded);
    },
  };
}

function assistantMessage(
  answer: StepAnswer,
  toolCalls: readonly ToolCall[],
  model: Model,
  overhead: number,
  sent: readonly Message[],
): AssistantMessage {
  const message = wellFormed<AssistantMessage>({
    role: "assistant",
    text: answer.text,
    reasoning: answer.reasoning,
    toolCalls,
    provider: model.provider,
    model: model.modelId,
    continuation: answer.continuation,
    measured: null,
  });
  const { inputTokens, outputTokens } = answer.usage ?? { inputTokens: null, outputTokens: null };
  if (inputTokens === null || outputTokens === null) return message;
  const bytes = sent.reduce((sum, one) => sum + messageBytes(one), overhead + messageBytes(message));
  return { ...message, measured: { tokens: inputTokens + outputTokens, bytes } };
}

/** The failure of a turn that took too long; also for a caller whose deadline begins before the turn. */
export function turnDeadline(ms: number): ChatError {
  return deadlineError("turn_deadline", "The turn", ms);
}

function deadlineError(code: "turn_deadline" | "request_deadline", what: string, ms: number): ChatError {
  return new ChatError(
    code,
    `${what} took longer than ${ms / 1000} seconds and was stopped. Try again, or raise the limit in the settings.`,
    {
      details: { limit: ms },
    },
  );
}

function stepLimit(limit: number): ChatError {
  return new ChatError(
    "step_limit",
    `No answer after ${limit} steps of model and tools. Ask for less at once, or raise the limit.`,
    {
      details: { limit },
    },
  );
}

function toolCallLimit(limit: number, actual: number): ChatError {
  return new ChatError(
    "tool_call_limit",
    `The model asked for more than ${limit} tool calls. Ask for less at once, or raise the limit.`,
    {
      details: { limit, actual },
    },
  );
}

function asChatError(thrown: unknown): ChatError {
  if (ChatError.isInstance(thrown)) return thrown;
  return new ChatError("provider_server", `The model failed: ${messageOf(thrown)}`, { cause: thrown });
}
