/**
 * One turn: a message, then model and tools until an answer. Stores nothing and draws nothing: it yields what happens
 * and returns how it ended. It never throws for what a model, a tool or a signal does, and a turn that does not complete
 * hands out nothing that could be taken for an answer. Nothing is retried.
 */
import { Scope } from "./abort.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Context, type ContextBudget, fitContext, overheadBytes } from "./context.ts";
import { type Emit, generated } from "./emit.ts";
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
  readonly effort?: Effort | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** JSON Schema of the answer's text, for a model with `supportsSchema`. */
  readonly schema?: Json | undefined;
  /** A step that calls this tool is the last, whatever comes of the call; the exchange then ends with the results. */
  readonly finalTool?: string | undefined;
  /** Sees a step's known and valid tool calls together, before any of them runs; returns the reason of each refusal by ID. */
  readonly authorize?: ((batch: readonly ToolCall[]) => Promise<ReadonlyMap<string, string>>) | undefined;
  /** Messages for the running turn, taken between steps and once more before it ends. What it returns is in the turn. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined;
  /** Its reason, where it is a ChatError, becomes the result's error. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** What listens to a signal hears of this when all is over; made once, as an error costs more than the rest of an end. */
const requestEnded = new ChatError("aborted", "The request has ended.");
const turnEnded = new ChatError("aborted", "The turn has ended.");

/** Yields what happens; returns how it ended. The reader decides the pace; returned from early, it stops. */
export function turn(options: TurnOptions): AsyncGenerator<TurnEvent, TurnResult> {
  return generated((emit) => runTurn(options, emit));
}

/** The same for a caller who is told by `emit`. After an abort it is over at once, and what still runs is not heard. */
export async function runTurn(options: TurnOptions, emit: Emit<TurnEvent>): Promise<TurnResult> {
  const { limits, clock = systemClock } = options;
  const scope = new Scope(options.signal, {
    ms: limits.turnMs,
    clock,
    error: () => turnDeadline(limits.turnMs),
  });
  const steps: StepGatherer[] = [];
  const tell: Emit<TurnEvent> = (event) => {
    scope.throwIfAborted();
    return emit(event);
  };
  try {
    const completed = await new Promise<Completed>((resolve, reject) => {
      scope.onAbort(() => reject(scope.reason));
      runSteps(options, { scope, steps, tell, clock }).then(resolve, reject);
    });
    scope.throwIfAborted();
    const { text, messages } = completed;
    const { usage, reported } = sumUsage(steps);
    return { state: "completed", text, messages, usage, reported };
  } catch (thrown) {
    const error = scope.aborted ? abortError(scope.reason, "The turn") : asChatError(thrown);
    const interrupted = options.signal?.aborted && error.code !== "turn_deadline";
    return { state: interrupted ? "interrupted" : "failed", error, ...sumUsage(steps) };
  } finally {
    scope.abort(turnEnded);
  }
}

interface Completed {
  readonly text: string;
  readonly messages: readonly Message[];
}

/** A turn under way. Whatever waits in it may wait for ever: the scope's end is waited for elsewhere, once for all. */
interface RunningTurn {
  readonly scope: Scope;
  readonly clock: Clock;
  readonly steps: StepGatherer[];
  /** Throws once the scope is aborted. */
  readonly tell: Emit<TurnEvent>;
}

async function runSteps(options: TurnOptions, running: RunningTurn): Promise<Completed> {
  const { model, limits, finalTool } = options;
  const { scope, tell } = running;
  const tools = model.supportsTools ? options.tools : [];
  const byName = toolsByName(tools);
  const overhead = overheadBytes(options.system, tools);
  const request = { provider: model.provider, model: model.modelId, overheadBytes: overhead };
  const messages: Message[] = [wholeInput(options.input)];
  const usedIds = new Set<string>();
  let recordBytes = 0;
  let toolCalls = 0;
  for (let step = 1; ; step++) {
    await tell({ type: "step-start", step });
    const sent = fitContext(options.context, messages, options.budget, request);
    const gathered = new StepGatherer(step, limits, recordBytes);
    running.steps.push(gathered);
    await readAnswer(options, sent.messages, tools, gathered, running);

    const answer = gathered.end(usedIds);
    const checked =
      answer.toolRequests.length > 0 ? await checkBatch(answer.toolRequests, byName, options.authorize) : [];
    const calls = checked.map((one) => one.call);
    const message = assistantMessage(answer, calls, model, sent.bytes);
    recordBytes += messageBytes(message);
    refuseRecord(recordBytes, limits.recordBytes);
    messages.push(message);
    toolCalls += calls.length;
    const isFinal = finalTool !== undefined && calls.some((call) => call.toolName === finalTool);
    if (calls.length > 0 && step >= limits.steps && !isFinal) throw stepLimit(limits.steps);
    if (toolCalls > limits.toolCalls) throw toolCallLimit(limits.toolCalls, toolCalls);
    await tell({ type: "step-end", step, final: calls.length === 0, usage: answer.usage });

    if (calls.length > 0) {
      const results = await runBatch(checked, step, scope, tell);
      messages.push({ role: "tool", results });
      if (isFinal) return { text: answer.text, messages };
    }
    const steered = options.steer && step < limits.steps ? await options.steer() : [];
    for (const one of steered) {
      const text = one.toWellFormed();
      messages.push({ role: "user", text });
      await tell({ type: "steered", step, text });
    }
    if (calls.length === 0 && steered.length === 0) return { text: answer.text, messages };
  }
}

/** One request, read event by event to its finish. Its deadline ends the turn. */
async function readAnswer(
  options: TurnOptions,
  messages: readonly Message[],
  tools: readonly Tool[],
  gathered: StepGatherer,
  { scope, tell, clock }: RunningTurn,
): Promise<void> {
  const { model, system, effort, maxOutputTokens, schema, limits } = options;
  scope.throwIfAborted();
  const controller = new AbortController();
  const cancel = clock.after(limits.requestMs, () => {
    scope.abort(deadlineError("request_deadline", "The provider's answer", limits.requestMs));
  });
  const end = (reason: unknown) => {
    cancel();
    controller.abort(reason);
  };
  // Of no effect once it has ended.
  scope.onAbort(() => end(scope.reason));
  const request: ModelRequest = {
    system,
    messages,
    tools,
    signal: controller.signal,
    effort,
    maxOutputTokens,
    schema,
  };
  let open: AsyncIterator<ModelEvent> | null = null;
  try {
    const events = model.stream(request)[Symbol.asyncIterator]();
    while (!gathered.finished) {
      open = null;
      const next = await events.next();
      if (next.done) break;
      open = events;
      scope.throwIfAborted();
      const event = gathered.take(next.value);
      if (event) await tell(event);
    }
  } finally {
    // Not awaited: a generator that hangs in its own await would hang here too.
    (async () => open?.return?.())().catch(() => {});
    end(requestEnded);
  }
}

/** Most are text alone, and whole: that is asked faster than it is mended. */
function wholeInput(input: UserMessage): UserMessage {
  return !input.sources && input.text.isWellFormed() ? input : wellFormed(input);
}

const mostBytesPerToken = 32;

function assistantMessage(
  answer: StepAnswer,
  toolCalls: readonly ToolCall[],
  model: Model,
  sentBytes: number,
): AssistantMessage {
  const message: AssistantMessage = {
    role: "assistant",
    text: answer.text,
    reasoning: answer.reasoning.toWellFormed(),
    toolCalls,
    provider: model.provider,
    model: model.modelId,
    continuation: wellFormed(answer.continuation),
    measured: null,
  };
  const { usage } = answer;
  if (!usage || usage.inputTokens === null || usage.outputTokens === null) return message;
  const measured = { tokens: usage.inputTokens + usage.outputTokens, bytes: sentBytes + messageBytes(message) };
  // Some servers count nothing, or only what their cache had not.
  return measured.tokens * mostBytesPerToken < measured.bytes ? message : { ...message, measured };
}

/** The failure of a turn that took too long; also for a caller whose deadline begins before the turn. */
export function turnDeadline(ms: number): ChatError {
  return deadlineError("turn_deadline", "The turn", ms);
}

function deadlineError(code: "turn_deadline" | "request_deadline", what: string, ms: number): ChatError {
  return new ChatError(
    code,
    `${what} took longer than ${ms / 1000} seconds and was stopped. Try again, or raise the limit.`,
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
