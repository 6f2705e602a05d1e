/**
 * Loads a model into node-llama-cpp. Nothing is built or downloaded, nothing is printed, and an abort ends the wait at
 * once. What llama.cpp logs is kept only to say why a file could not be loaded.
 *
 * node-llama-cpp brings signal-exit, which ends the process at a signal that nobody else listens for when its own
 * listener runs: handlers of SIGINT, SIGTERM and SIGHUP must stay (`process.on`, not `once`).
 */
import type { Llama, LlamaContext, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { untilAborted } from "../abort.ts";
import { abortError, ChatError, messageOf } from "../errors.ts";
import { cutCodePoints } from "../text.ts";
import { followFreeCores, mostThreads, threadsFor, watchCores } from "./cores.ts";
import { chatTemplate, type Template } from "./template.ts";

export interface Engine {
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly template: Template;
  /** To be called when a request starts, and the result when it ends. */
  followFreeCores(): () => void;
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
  log.length = 0;
  const freeCores = watchCores();
  const load = async () => loadInto(await sharedLlama(options.gpu), options, freeCores);
  try {
    return await untilAborted(load(), signal, (engine) => engine.dispose());
  } catch (thrown) {
    if (signal.aborted) throw abortError(signal.reason, `The loading of ${name}`);
    if (ChatError.isInstance(thrown)) throw thrown;
    throw new ChatError("local_engine", `The model ${name} cannot be loaded: ${why(thrown)}`, { cause: thrown });
  }
}

/**
 * One for the process, kept to its end: llama.cpp has one logger, and when any instance is disposed of, that logger
 * goes back to printing on stderr. An instance without a model takes next to no memory.
 */
const llamas = new Map<boolean, Promise<Llama>>();

/** What llama.cpp complained of since the last load began. */
const log: string[] = [];
const logLines = 50;

function sharedLlama(gpu: boolean): Promise<Llama> {
  const started = llamas.get(gpu);
  if (started) return started;
  const starting = startLlama(gpu);
  llamas.set(gpu, starting);
  starting.catch(() => llamas.delete(gpu));
  return starting;
}

async function startLlama(gpu: boolean): Promise<Llama> {
  const { getLlama, LlamaLogLevel } = await import("node-llama-cpp").catch(notInstalled);
  return await getLlama({
    gpu: gpu ? "auto" : false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => {
      if (log.length < logLines) log.push(message);
    },
    // Not the engine's own minimum of four, which stalls a machine with two cores; set again when a model is loaded.
    maxThreads: 1,
  });
}

function notInstalled(cause: unknown): never {
  throw new ChatError(
    "local_engine",
    "The package node-llama-cpp, which runs local models, is not installed here. Install it beside @poppet/chat.",
    { cause },
  );
}

async function loadInto(llama: Llama, options: EngineOptions, freeCores: () => number): Promise<Engine> {
  const { signal } = options;
  signal.throwIfAborted();
  const model = await llama.loadModel({ modelPath: options.path, loadSignal: signal });
  try {
    const largest = Math.min(model.trainContextSize, options.contextSize ?? ordinaryContext);
    const most = options.threads ?? mostThreads(llama.cpuMathCores);
    const setThreads = (threads: number) => {
      llama.maxThreads = threads;
    };
    setThreads(most);
    const context: LlamaContext = await model.createContext({
      sequences: 1,
      contextSize: { min: Math.min(smallestContext, largest), max: largest },
      batchSize,
      threads: most,
      createSignal: signal,
    });
    if (options.threads === undefined) setThreads(threadsFor(freeCores(), most));
    const template = await chatTemplate(model);
    signal.throwIfAborted();
    const follow = () => (options.threads === undefined ? followFreeCores(most, setThreads) : () => {});
    return {
      ...{ model, sequence: context.getSequence(), template },
      followFreeCores: follow,
      dispose: () => model.dispose(),
    };
  } catch (thrown) {
    await model.dispose();
    throw thrown;
  }
}

/** One line: what llama.cpp said, where it said something, without its function names and paths. */
function why(thrown: unknown): string {
  const lines = log.flatMap((entry) => entry.split("\n")).map((line) => line.replace(/^\s*\w+: /, "").trim());
  const said = lines.find((line) => /error loading model|failed to|unsupported|unknown/i.test(line));
  const text = (said ?? messageOf(thrown)).replace(/^(?:error loading model: |llama_model_loader: )+/, "");
  return cutCodePoints(text.replace(/\s+/g, " "), 300);
}
