/** Runs a started run: its model, its context, the turn, and the saving of what came of it. */
import {
  ChatError,
  type Clock,
  inputTokens,
  readContext,
  Scope,
  type Tool,
  type ToolCall,
  type TurnEvent,
  type TurnResult,
  turn,
  turnDeadline,
  untilAborted,
} from "@poppet/chat";
import type { RunOutcome } from "../assistant.ts";
import { PoppetError } from "../error.ts";
import type { ModelWindow } from "../models/catalogue.ts";
import type { OpenModel } from "../models/registry.ts";
import { type ProviderName, providerNames, type Settings } from "../settings.ts";
import type { AcceptedInput } from "../store/inputs.ts";
import type { Owner } from "../store/owners.ts";
import { completeRun, type StartResult } from "../store/runs.ts";
import type { SearchIndex } from "../store/search-index.ts";
import type { Store } from "../store/sqlite.ts";
import { endToolCall, startToolCall } from "../store/tool-calls.ts";
import { storedTranscript } from "../store/transcript.ts";
import type { Endings } from "./endings.ts";
import { instructionsFor, refuseUnfitting } from "./instructions.ts";

export interface ModelChoice {
  readonly provider: ProviderName;
  readonly model: string;
  readonly sessionId: string;
}

export interface ModelSource {
  /** Throws ChatError or PoppetError where the model cannot be used. */
  open(choice: ModelChoice, signal: AbortSignal): Promise<OpenModel>;
  /** What is known of the model's window without opening it; null where only its file says. */
  window(choice: Omit<ModelChoice, "sessionId">): Promise<ModelWindow | null>;
  /** The tools that a run of this session has. */
  readonly tools: readonly Tool[];
}

interface TurnServices {
  readonly store: Store;
  readonly index: SearchIndex;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly models: ModelSource;
  readonly endings: Endings;
}

interface StartedRun extends AcceptedInput {
  readonly text: string;
  readonly owner: Owner;
  readonly started: Extract<StartResult, { type: "started" }>;
}

export interface RunningTurn {
  /** The turn's events; returned from early, it stops. */
  readonly events: AsyncGenerator<TurnEvent, TurnResult>;
  close(): Promise<void>;
}

/**
 * Reads what the session's tip shows, opens the run's model, and makes the turn on both. The run's time counts from
 * here: a model that takes long to open takes it from the turn.
 */
export async function openTurn(services: TurnServices, run: StartedRun, signal: AbortSignal): Promise<RunningTurn> {
  const { clock, settings } = services;
  const ms = settings.limits.runMs;
  const scope = new Scope(signal, { ms, clock, error: () => turnDeadline(ms) });
  try {
    const turn = await beginTurn(services, run, scope.signal);
    return { events: turn.events, close: () => turn.close().finally(() => scope.release()) };
  } catch (thrown) {
    scope.release();
    throw thrown;
  }
}

async function beginTurn(services: TurnServices, run: StartedRun, signal: AbortSignal): Promise<RunningTurn> {
  const { store, settings, clock, newId, models } = services;
  const { limits } = settings;
  const transcript = storedTranscript(store, run.session.id, { newId, now: clock.now });
  const window = { exchanges: limits.contextExchanges, bytes: limits.contextBytes };
  const context = await readContext(transcript, run.started.tip, window);
  // Last, as an open model has to be closed.
  const opened = await openModel(models, run, signal);
  const budget = { ...window, tokens: inputTokens(opened.contextWindow, opened.maxOutputTokens) };
  // What the run came to is settled; a model that cannot be closed does not change it.
  const close = () => opened.close().catch(() => {});
  const system = instructionsFor(run.started);
  try {
    refuseUnfitting(system, run.started, budget);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const events = turn({
    model: opened.model,
    system,
    context,
    input: { role: "user", text: run.text.toWellFormed() },
    tools: models.tools,
    limits: { ...limits, turnMs: limits.runMs, requestMs: opened.requestMs },
    budget,
    ...(opened.maxOutputTokens !== null && { maxOutputTokens: opened.maxOutputTokens }),
    signal,
    clock,
  });
  return {
    events,
    async close() {
      await events.return(readerLeft);
      await close();
    },
  };
}

const readerLeft: TurnResult = {
  state: "interrupted",
  error: new ChatError("aborted", "The run was stopped."),
  usage: null,
  reported: null,
};

/** A model that opens after the run was stopped is closed again. */
function openModel(models: ModelSource, run: StartedRun, signal: AbortSignal): Promise<OpenModel> {
  const { provider, model } = run.started;
  if (provider === null || model === null) throw noModel();
  const choice = { provider: knownProvider(provider), model, sessionId: run.session.id };
  return untilAborted(models.open(choice, signal), signal, (late) => late.close());
}

/** Saves what came of a turn. */
export async function saveTurn(services: TurnServices, run: StartedRun, result: TurnResult): Promise<RunOutcome> {
  const { store, index, clock, newId, endings } = services;
  const { runId, owner } = run;
  const now = clock.now();
  if (result.state !== "completed") {
    const error = { code: result.error.code, message: result.error.message };
    return endings.write({ runId, owner: owner.id, state: result.state, error, usage: result.usage, now });
  }
  const ids = result.messages.map((_, i) => (i === 0 ? run.inputId : newId()));
  const saved = await store.write("finish", () =>
    completeRun({ runId, owner: owner.id, messages: result.messages, ids, usage: result.usage, now }),
  );
  if (!saved)
    throw new PoppetError("run_lost", "The conversation was changed by another process; the answer was not saved.");
  // The answer is safe: an index that cannot follow now does so before the next search.
  await index.catchUp().catch(() => {});
  return { state: "completed", text: result.text, usage: result.usage };
}

/** A tool call is on record before it starts, and with its outcome before anybody hears of that. */
export async function recordTool(
  { store, clock }: TurnServices,
  runId: string,
  event: Extract<TurnEvent, { type: "tool-start" | "tool-end" }>,
): Promise<void> {
  const place = { runId, step: event.step, callId: event.call.toolCallId };
  const call = callData(event.call);
  if (event.type === "tool-start") {
    await store.write("tool", () => startToolCall(place, call, clock.now()));
    return;
  }
  const { state, output } = event.result;
  const end = {
    ...call,
    state,
    result: state === "completed" ? JSON.stringify(output) : null,
    error: state === "completed" ? null : (output as { error: { code: string; message: string } }).error,
  };
  await store.write("tool", () => endToolCall(place, end, clock.now()));
}

function callData(call: ToolCall): { readonly name: string; readonly arguments: string } {
  return { name: call.toolName, arguments: JSON.stringify(call.input) };
}

function noModel(): PoppetError {
  return new PoppetError(
    "no_model",
    "No model is chosen yet. Run `poppet setup`, or in a script `poppet setup --provider local --model smollm2-135m`; your message is saved.",
  );
}

/** A session can outlive a provider: one saved by a later version, or taken out of this one. */
function knownProvider(name: string): ProviderName {
  const known = providerNames.find((one) => one === name);
  if (known) return known;
  throw new PoppetError(
    "provider_unknown",
    `This session's provider, ${JSON.stringify(name)}, is not one that this version has. Start a new session.`,
  );
}
