/**
 * One request to the loaded model, as events. The prompt is evaluated in small pieces, because the engine cannot be
 * stopped inside one; so an abort takes effect within the time of one piece, or of one token.
 */
import type { ChatHistoryItem, ChatModelFunctions, LlamaChatResponse, Token } from "node-llama-cpp";
import { ChatError } from "../errors.ts";
import type { Usage } from "../messages.ts";
import type { FinishReason, ModelEvent, ModelRequest } from "../model.ts";
import { nameFromWire } from "../tools.ts";
import type { Engine } from "./engine.ts";
import { modelFunctions, withoutAbsent } from "./functions.ts";
import { chatHistory } from "./history.ts";
import type { Sampling } from "./sampling.ts";

export interface RespondOptions {
  readonly engine: Engine;
  readonly request: ModelRequest;
  readonly sampling: Sampling;
  /** Tokens of the answer where the request does not say. */
  readonly maxOutputTokens: number;
  readonly supportsTools: boolean;
  readonly emit: (event: ModelEvent) => void;
}

/** A piece of the prompt should take this long. */
const pieceMs = 60;
const firstPiece = 8;
/** Tokens that stay free, so that the engine never drops the beginning of a conversation to make room. */
const spareTokens = 4;

/** Throws ChatError, the signal's reason after an abort, or what the engine throws. */
export async function respond(options: RespondOptions): Promise<void> {
  const stopFollowing = options.engine.followFreeCores();
  try {
    await readAndAnswer(options);
  } finally {
    stopFollowing();
  }
}

async function readAndAnswer(options: RespondOptions): Promise<void> {
  const { engine, request, emit } = options;
  const { sequence } = engine;
  const offered = options.supportsTools && request.tools.length > 0;
  const functions = offered ? modelFunctions(request.tools) : undefined;
  const history = chatHistory(request.system, request.messages);
  const prompt = promptTokens(engine, history, functions);
  const room = sequence.contextSize - prompt.length - spareTokens;
  if (room < 1) throw tooLarge(prompt.length, sequence.contextSize);
  const cachedInputTokens = await evaluate(engine, prompt, request.signal);
  const before = sequence.tokenMeter.getState();
  const wanted = request.maxOutputTokens ?? options.maxOutputTokens;
  const response = await generate(options, history, functions, Math.min(wanted, room));
  const outputTokens = sequence.tokenMeter.diff(before).usedOutputTokens;
  const calls = response === null ? [] : toolCalls(response, request);
  for (const call of calls) emit(call);
  const usage: Usage = {
    inputTokens: prompt.length,
    outputTokens,
    totalTokens: prompt.length + outputTokens,
    reasoningTokens: null,
    cachedInputTokens,
  };
  emit({ type: "finish", reason: reasonOf(response, calls.length), usage, continuation: null });
}

function promptTokens(
  engine: Engine,
  chatHistory: readonly ChatHistoryItem[],
  availableFunctions: ChatModelFunctions | undefined,
): Token[] {
  const { contextText } = engine.template.wrapper.generateContextState({
    chatHistory,
    ...(availableFunctions ? { availableFunctions, documentFunctionParams: true } : {}),
  });
  return contextText.tokenize(engine.model.tokenizer);
}

/** All but the last token, which generation starts with. Returns how many tokens were there from an earlier request. */
async function evaluate(engine: Engine, prompt: readonly Token[], signal: AbortSignal): Promise<number> {
  const { sequence } = engine;
  const tokens = prompt.slice(0, -1);
  signal.throwIfAborted();
  await sequence.adaptStateToTokens(tokens, false);
  const cached = sequence.nextTokenIndex;
  let piece = firstPiece;
  for (let at = cached; at < tokens.length; ) {
    signal.throwIfAborted();
    const started = performance.now();
    const next = tokens.slice(at, at + piece);
    await sequence.evaluateWithoutGeneratingNewTokens(next);
    at += next.length;
    const perToken = (performance.now() - started) / next.length;
    piece = Math.max(1, Math.min(piece * 2, Math.floor(pieceMs / Math.max(perToken, 0.01)), 512));
  }
  signal.throwIfAborted();
  return cached;
}

/** Null where the context ran full. */
async function generate(
  options: RespondOptions,
  history: ChatHistoryItem[],
  functions: ChatModelFunctions | undefined,
  maxTokens: number,
): Promise<LlamaChatResponse<ChatModelFunctions> | null> {
  const { engine, request, sampling, emit } = options;
  const { LlamaChat } = await import("node-llama-cpp");
  const chat = new LlamaChat({ contextSequence: engine.sequence, chatWrapper: engine.template.wrapper });
  const contextFull = new Error("The context is full.");
  try {
    return await chat.generateResponse<ChatModelFunctions>(history, {
      ...(functions ? { functions, documentFunctionParams: true } : {}),
      signal: request.signal,
      maxTokens,
      temperature: sampling.temperature,
      topP: sampling.topP,
      topK: sampling.topK,
      ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
      contextShift: {
        strategy: () => {
          throw contextFull;
        },
      },
      onResponseChunk: (chunk) => {
        if (chunk.text === "" || request.signal.aborted) return;
        if (chunk.type === undefined) emit({ type: "text", delta: chunk.text });
        else emit({ type: "reasoning", section: 0, delta: chunk.text });
      },
    });
  } catch (thrown) {
    if (thrown === contextFull) return null;
    request.signal.throwIfAborted();
    throw thrown;
  } finally {
    chat.dispose({ disposeSequence: false });
  }
}

/** IDs go on from the calls in the request; one that is in the same turn already is changed there. */
function toolCalls(
  response: LlamaChatResponse<ChatModelFunctions>,
  request: ModelRequest,
): Extract<ModelEvent, { type: "tool-call" }>[] {
  const earlier = request.messages.reduce((n, one) => n + (one.role === "assistant" ? one.toolCalls.length : 0), 0);
  return (response.functionCalls ?? []).map((call, index) => {
    const toolName = nameFromWire(call.functionName, request.tools);
    const schema = request.tools.find((tool) => tool.name === toolName)?.inputJsonSchema;
    const input = JSON.stringify(withoutAbsent(call.params ?? {}, schema));
    return { type: "tool-call", toolCallId: `call_${earlier + index + 1}`, toolName, input };
  });
}

function reasonOf(response: LlamaChatResponse<ChatModelFunctions> | null, calls: number): FinishReason {
  if (response === null || response.metadata.stopReason === "maxTokens") return "length";
  return calls > 0 ? "tool-calls" : "stop";
}

function tooLarge(tokens: number, contextSize: number): ChatError {
  return new ChatError(
    "context_too_large",
    `The conversation takes ${tokens} tokens and the local model has a context of ${contextSize}. Say it shorter, or raise contextWindow of this model.`,
    { details: { tokens, contextSize } },
  );
}
