/**
 * A GGUF file as a model that runs in this process, by node-llama-cpp: `@poppet/chat/local-gguf`, for Node, Bun and Deno.
 * Opening checks the file and loads it; requests to one open model take turns. An abort is answered within 200 ms, while
 * loading, reading the prompt and answering.
 */
import { untilAborted } from "../abort.ts";
import { ChatError, messageOf } from "../errors.ts";
import { Line } from "../line.ts";
import type { Model, ModelEvent } from "../model.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { checkGguf } from "./gguf.ts";
import { respond } from "./respond.ts";
import { defaultSampling, type Sampling } from "./sampling.ts";

export { checkGguf, checkWholeGguf, type GgufCheck } from "./gguf.ts";
export type { Sampling } from "./sampling.ts";

/** Which file, and how it is run. */
export interface LocalGgufOptions {
  readonly path: string;
  /** Default: the file's name without its ending. */
  readonly modelId?: string;
  /** False: only the processor. Default: the graphics card where the engine has a build for it. */
  readonly gpu?: boolean;
  /** Default: as many as other programs leave free. */
  readonly threads?: number;
  /** Tokens. Default: 8192, or what the model was trained for where that is less. */
  readonly contextWindow?: number;
  /** Tokens of an answer where a request does not say. Default: a quarter of the window. */
  readonly maxOutputTokens?: number;
  /** Default: whether the model's own template knows tools. */
  readonly tools?: boolean;
  /** In place of what suits the model; `{ temperature: 0 }` gives the same answer each time. */
  readonly sampling?: Partial<Sampling>;
  /** Ends the loading. */
  readonly signal?: AbortSignal;
}

/** A loaded model, for `createChat({model, contextWindow, maxOutputTokens})`. */
export interface LocalGguf {
  readonly model: Model;
  readonly contextWindow: number;
  /** Tokens kept back for an answer, and the most that one may take where a request does not say. */
  readonly maxOutputTokens: number;
  /** Stops what is running, then frees the memory. */
  close(): Promise<void>;
}

/** Loads a model into memory. What is no model, or does not fit: `local_engine`. */
export async function localGguf(options: LocalGgufOptions): Promise<LocalGguf> {
  const { path, gpu = true, threads, signal = new AbortController().signal } = options;
  const name = nameOf(path);
  await refuseOther(path);
  const contextSize = options.contextWindow ?? null;
  const engine = await loadEngine({ name, path, gpu, contextSize, signal, ...(threads !== undefined && { threads }) });
  const contextWindow = engine.sequence.contextSize;
  const maxOutputTokens = options.maxOutputTokens ?? Math.floor(contextWindow / 4);
  const supportsTools = options.tools ?? engine.template.tools;
  const sampling = { ...defaultSampling(engine.model), ...options.sampling };
  const turns = new Line();
  const closed = new AbortController();
  let closing: Promise<void> | null = null;
  const model: Model = {
    provider: "local",
    modelId: options.modelId ?? name,
    supportsTools,
    stream: (request) => {
      if (closing) throw new ChatError("provider_server", `The local model ${name} is closed.`);
      return streamOf(turns, AbortSignal.any([request.signal, closed.signal]), (stopped, emit) =>
        respond({ engine, request: { ...request, signal: stopped }, sampling, maxOutputTokens, supportsTools, emit }),
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

function nameOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.gguf$/i, "");
}

/** The engine reads garbage as numbers. */
async function refuseOther(path: string): Promise<void> {
  const check = await checkGguf(path).catch((cause: unknown) => {
    throw new ChatError("local_engine", `The model file ${path} cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (!check.ok) throw new ChatError("local_engine", `The model file ${path} cannot be used: ${check.reason}.`);
}

async function closeEngine(engine: Engine, turns: Line): Promise<void> {
  await turns.serve(() => engine.dispose());
}

/** Turns the callbacks of one request into a stream. The turn is given up only when the engine has really stopped. */
async function* streamOf(
  turns: Line,
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
