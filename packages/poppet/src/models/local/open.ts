/**
 * The provider `local`: a GGUF file that runs in this process. Opening checks the file and loads it; requests to one
 * open model take turns. An abort is answered within 200 ms, while loading, reading the prompt and answering.
 */
import { ChatError, type Model, type ModelEvent, messageOf, untilAborted } from "@poppet/chat";
import type { ModelFacts, ProviderSettings } from "../../settings.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { modelName, usableModelFile } from "./files.ts";
import { respond } from "./respond.ts";
import { defaultSampling, type Sampling } from "./sampling.ts";
import { Turnstile } from "./turnstile.ts";

export interface OpenLocalModelOptions {
  /** A name in `modelsFolder`, or the path of a file. */
  readonly model: string;
  readonly settings: ProviderSettings;
  readonly facts: ModelFacts;
  readonly modelsFolder: string;
  readonly signal: AbortSignal;
  /** In place of what suits the model; `{ temperature: 0 }` gives the same answer each time. */
  readonly sampling?: Partial<Sampling>;
}

export interface OpenLocalModel {
  readonly model: Model;
  readonly contextWindow: number | null;
  /** Tokens kept back for an answer, and the most that one may take where a request does not say. */
  readonly maxOutputTokens: number | null;
  /** Stops what is running, then frees the memory. */
  close(): Promise<void>;
}

export async function openLocalModel(options: OpenLocalModelOptions): Promise<OpenLocalModel> {
  const { facts, settings, signal } = options;
  const path = await usableModelFile(options.model, options.modelsFolder);
  const name = modelName(path);
  const engine = await loadEngine({
    name,
    path,
    gpu: settings.gpu !== "off",
    contextSize: facts.contextWindow ?? null,
    signal,
    ...(settings.threads === undefined ? {} : { threads: settings.threads }),
  });
  const contextWindow = engine.sequence.contextSize;
  const maxOutputTokens = facts.maxOutputTokens ?? Math.floor(contextWindow / 4);
  const supportsTools = facts.tools ?? engine.template.tools;
  const sampling = { ...defaultSampling(engine.model), ...options.sampling };
  const turns = new Turnstile();
  const closed = new AbortController();
  let closing: Promise<void> | null = null;
  const model: Model = {
    provider: "local",
    modelId: options.model,
    supportsTools,
    stream: (request) => {
      if (closing) throw new ChatError("provider_server", `The local model ${name} is closed.`);
      return streamOf(turns, AbortSignal.any([request.signal, closed.signal]), (signal, emit) =>
        respond({ engine, request: { ...request, signal }, sampling, maxOutputTokens, supportsTools, emit }),
      );
    },
  };
  const close = () => {
    closed.abort(new ChatError("aborted", `The local model ${name} was closed.`));
    closing ??= closeEngine(engine, turns);
    return closing;
  };
  return { model, contextWindow, maxOutputTokens, close };
}

async function closeEngine(engine: Engine, turns: Turnstile): Promise<void> {
  await turns.idle();
  await engine.dispose();
}

/** Turns the callbacks of one request into a stream. The turn is given up only when the engine has really stopped. */
async function* streamOf(
  turns: Turnstile,
  requested: AbortSignal,
  run: (signal: AbortSignal, emit: (event: ModelEvent) => void) => Promise<void>,
): AsyncGenerator<ModelEvent> {
  const stop = new AbortController();
  const signal = AbortSignal.any([requested, stop.signal]);
  const leave = await turns.enter(signal);
  const waiting: ModelEvent[] = [];
  const engine: { state: "running" | "done" | "failed"; failure: unknown; wake: () => void } = {
    state: "running",
    failure: null,
    wake: () => {},
  };
  const ended = (state: "done" | "failed", failure: unknown) => {
    Object.assign(engine, { state, failure });
    leave();
    engine.wake();
  };
  run(signal, (event) => {
    waiting.push(event);
    engine.wake();
  }).then(
    () => ended("done", null),
    (thrown: unknown) => ended("failed", thrown),
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      const event = waiting.shift();
      if (event !== undefined) {
        yield event;
        continue;
      }
      if (engine.state === "done") return;
      if (engine.state === "failed") throw asChatError(engine.failure);
      const more = new Promise<void>((resolve) => {
        engine.wake = resolve;
      });
      await untilAborted(more, signal);
    }
  } finally {
    stop.abort();
  }
}

function asChatError(thrown: unknown): ChatError {
  if (ChatError.isInstance(thrown)) return thrown;
  return new ChatError("provider_server", `The local model failed: ${messageOf(thrown)}`, { cause: thrown });
}
