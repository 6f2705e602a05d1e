/**
 * Loads a model into node-llama-cpp. Nothing is built or downloaded, nothing is printed, and an abort ends the wait at
 * once. What llama.cpp logs is kept only to say why a file could not be loaded.
 */
import { messageOf } from "@poppet/chat";
import type { Llama, LlamaContext, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { PoppetError } from "../../error.ts";
import { untilAborted } from "./interrupt.ts";
import { chatTemplate, type Template } from "./template.ts";

export interface Engine {
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly template: Template;
  /** Frees the memory. Not to be called while a request is running. */
  dispose(): Promise<void>;
}

export interface EngineOptions {
  /** Shown in errors. */
  readonly name: string;
  readonly path: string;
  readonly threads?: number;
  readonly gpu: boolean;
  /** Tokens that the person asks for; null: a bound that suits an ordinary machine. */
  readonly contextSize: number | null;
  readonly signal: AbortSignal;
}

/** The memory for a context grows with its size: for a model of 4B, about 1 GB at this one. */
const ordinaryContext = 8192;
const smallestContext = 512;
/** Tokens evaluated in one go. */
const batchSize = 512;

export async function loadEngine(options: EngineOptions): Promise<Engine> {
  const { signal, name } = options;
  const interrupted = () => new PoppetError("interrupted", `Loading the model ${name} was interrupted.`);
  const log: string[] = [];
  const load = async () => {
    const llama = await startLlama(options.gpu, log);
    try {
      return await loadInto(llama, options);
    } catch (thrown) {
      await llama.dispose();
      throw thrown;
    }
  };
  try {
    return await untilAborted(load(), signal, interrupted, (engine) => engine.dispose());
  } catch (thrown) {
    if (thrown instanceof PoppetError) throw thrown;
    throw new PoppetError("local_engine", `The model ${name} cannot be loaded: ${why(thrown, log)}`, { cause: thrown });
  }
}

async function startLlama(gpu: boolean, log: string[]): Promise<Llama> {
  const { getLlama, LlamaLogLevel } = await import("node-llama-cpp");
  return await getLlama({
    gpu: gpu ? "auto" : false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => void log.push(message),
    // No more threads than the context asks for: the engine's own minimum of four stalls a machine with two cores.
    maxThreads: 0,
  });
}

async function loadInto(llama: Llama, options: EngineOptions): Promise<Engine> {
  const { signal } = options;
  signal.throwIfAborted();
  const model = await llama.loadModel({ modelPath: options.path, loadSignal: signal });
  const most = Math.min(model.trainContextSize, options.contextSize ?? ordinaryContext);
  const context: LlamaContext = await model.createContext({
    sequences: 1,
    contextSize: { min: Math.min(smallestContext, most), max: most },
    batchSize,
    threads: options.threads ?? llama.cpuMathCores,
    createSignal: signal,
  });
  const template = await chatTemplate(model);
  signal.throwIfAborted();
  return { model, sequence: context.getSequence(), template, dispose: () => llama.dispose() };
}

/** One line: what llama.cpp said, where it said something, without its function names and paths. */
function why(thrown: unknown, log: readonly string[]): string {
  const lines = log.flatMap((entry) => entry.split("\n")).map((line) => line.replace(/^\s*\w+: /, "").trim());
  const said = lines.find((line) => /error loading model|failed to|unsupported|unknown/i.test(line));
  const text = (said ?? messageOf(thrown)).replace(/^(?:error loading model: |llama_model_loader: )+/, "");
  return text.replace(/\s+/g, " ").slice(0, 300);
}
