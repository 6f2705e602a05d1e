/**
 * Any AI SDK language model (specification v4, or v3 of the packages that run on Node 20) as a Model. A thin adapter over
 * `doStream`: it retries nothing, asks no other model, and closes the connection when the request is aborted or its
 * reader leaves early. Whatever goes wrong is thrown as a ChatError with a code of its own kind and no secret in it.
 */
import { untilAborted } from "../abort.ts";
import { ChatError } from "../errors.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest } from "../model.ts";
import { nameFromWire, wireName } from "../tools.ts";
import { toPrompt } from "./ai-sdk-prompt.ts";
import { MessageRecord, toUsage } from "./ai-sdk-record.ts";
import type { AiSdkCall, AiSdkModel, AiSdkOptions, AiSdkPart, JsonObject } from "./ai-sdk-types.ts";
import { type ErrorContext, endedEarly, providerError } from "./provider-error.ts";

/** All of them may be left out. */
export interface LanguageModelOptions {
  /** The stable name that continuation data is kept under; default: the model's own. */
  readonly provider?: string;
  /** What errors call the provider; default: `provider`, up to a dot. */
  readonly label?: string;
  /** Where the key comes from, for the error about a wrong one: `OPENAI_API_KEY or [providers.openai] apiKey`. */
  readonly keyHint?: string;
  /** Default: true. */
  readonly supportsTools?: boolean;
  /**
   * Whether the provider holds an answer to a JSON Schema. Default: what the model says of itself, else true for the
   * packages of OpenAI, Azure, Anthropic and Google. Without it `ask` goes by a tool.
   */
  readonly supportsSchema?: boolean;
  /** `wire` (default): `__` stands for the dot in tool names. `as-is`: the provider takes dots. */
  readonly toolNames?: "wire" | "as-is";
  /** Sent with each request, by the SDK's namespaces: `{openai: {store: false}}`. */
  readonly providerOptions?: AiSdkOptions;
  /** For a request that names none. */
  readonly maxOutputTokens?: number;
  /** Never shown in an error, whoever repeats them. */
  readonly secrets?: readonly string[];
  /** The time that a `retry-after` counts from; default: the system's. */
  readonly now?: () => number;
}

/**
 * `effort` of a request reaches models of v4 only: before, each provider had an option of its own for it, which
 * `providerOptions` can name. Throws ChatError `model_unsupported` for another version.
 */
export function languageModel(model: AiSdkModel, options: LanguageModelOptions = {}): Model {
  refuseOther(model);
  const provider = options.provider ?? model.provider;
  const supportsTools = options.supportsTools ?? true;
  const supportsSchema =
    options.supportsSchema ??
    model.supportsStructuredOutputs ??
    /^(openai|azure|anthropic|google)\b/.test(model.provider);
  return {
    provider,
    modelId: model.modelId,
    supportsTools,
    supportsSchema,
    stream: (request) =>
      stream(model, request, { ...options, provider, supportsTools }, errorContext(model, options, provider)),
  };
}

function refuseOther({ specificationVersion: version, modelId }: AiSdkModel): void {
  const given: string = version;
  if (given === "v4" || given === "v3") return;
  throw new ChatError(
    "model_unsupported",
    `${modelId} speaks version ${JSON.stringify(given)} of the AI SDK's specification, and this library v3 and v4. Install a version of its package for AI SDK 6 or 7.`,
    { details: { version: given ?? null } },
  );
}

type Resolved = LanguageModelOptions & { readonly provider: string; readonly supportsTools: boolean };

async function* stream(
  model: AiSdkModel,
  request: ModelRequest,
  options: Resolved,
  context: ErrorContext,
): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  if (signal.aborted) throw abortError(signal);
  const connection = new AbortController();
  let reader: ReadableStreamDefaultReader<{ readonly type: string }> | undefined;
  let started = false;
  let arrived = false;
  // Cancelling the reader as well ends a pending read at once, whatever the provider's package does with the signal.
  const abort = () => {
    connection.abort(signal.reason);
    reader?.cancel().catch(() => {});
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    reader = await open(model, callOf(model, request, options, connection.signal), signal);
    // An abort between the opening and here found no reader to cancel.
    if (signal.aborted) throw abortError(signal);
    const record = new MessageRecord(options.toolNames === "as-is" ? same : (n) => nameFromWire(n, request.tools));
    while (true) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw abortError(signal);
      if (done) throw endedEarly(context, arrived);
      const part = value as AiSdkPart;
      if (part.type === "error") throw saysNoFinish(part.error) ? endedEarly(context, arrived) : part.error;
      if (part.type === "finish") {
        if (isUnsaid(part)) throw endedEarly(context, arrived);
        yield finish(part, record);
        return;
      }
      // The SDK says by itself that a stream starts; all else stands for something that came.
      arrived ||= value.type !== "stream-start";
      const event = record.take(part);
      if (!event) continue;
      started = true;
      yield event;
    }
  } catch (thrown) {
    if (signal.aborted) throw abortError(signal);
    throw providerError(thrown, context, started);
  } finally {
    signal.removeEventListener("abort", abort);
    reader?.cancel().catch(() => {});
    connection.abort();
  }
}

async function open(model: AiSdkModel, call: AiSdkCall, signal: AbortSignal) {
  const opening = Promise.resolve(model.doStream(call));
  const { stream } = await untilAborted(opening, signal, (late) => late.stream.cancel());
  return stream.getReader();
}

function callOf(model: AiSdkModel, request: ModelRequest, options: Resolved, abortSignal: AbortSignal): AiSdkCall {
  const wireNames = options.toolNames !== "as-is";
  const { provider, supportsTools } = options;
  const maxOutputTokens = request.maxOutputTokens ?? options.maxOutputTokens;
  const tools = supportsTools ? request.tools : [];
  return {
    prompt: toPrompt(request.system, request.messages, {
      provider,
      modelId: model.modelId,
      supportsTools,
      wireNames,
      cacheMarks: /\banthropic\b/.test(model.provider),
    }),
    abortSignal,
    ...(request.schema ? { responseFormat: { type: "json" as const, schema: request.schema as JsonObject } } : {}),
    ...(options.providerOptions ? { providerOptions: options.providerOptions } : {}),
    ...(request.effort && model.specificationVersion === "v4" ? { reasoning: request.effort } : {}),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            type: "function" as const,
            name: wireNames ? wireName(tool.name) : tool.name,
            description: tool.description,
            inputSchema: tool.inputJsonSchema as JsonObject,
          })),
        }),
  };
}

function finish(part: AiSdkFinish, record: MessageRecord): ModelEvent & { type: "finish" } {
  const { unified } = part.finishReason;
  const reason = reasons.has(unified) ? (unified as FinishReason) : "other";
  return { type: "finish", reason, usage: toUsage(part.usage), continuation: record.continuation() };
}

/** The SDK ends every stream with a finish; with no reason from the provider in it, the stream was cut. */
function isUnsaid({ finishReason }: AiSdkFinish): boolean {
  return finishReason.raw === undefined && unsaid.has(finishReason.unified);
}

/** Some packages say it by an error before that finish. */
function saysNoFinish(error: unknown): boolean {
  return /without a finish reason/i.test((error as { readonly message?: string } | null)?.message ?? "");
}

type AiSdkFinish = Extract<AiSdkPart, { type: "finish" }>;

const unsaid: ReadonlySet<string> = new Set<FinishReason>(["other", "error", "interrupted"]);
const reasons: ReadonlySet<string> = new Set<FinishReason>([
  "stop",
  "tool-calls",
  "length",
  "content-filter",
  "error",
  "interrupted",
  "other",
]);

function abortError(signal: AbortSignal): ChatError {
  const reason: unknown = signal.reason;
  if (ChatError.isInstance(reason)) return reason;
  const timedOut = typeof reason === "object" && reason !== null && (reason as Error).name === "TimeoutError";
  return timedOut
    ? new ChatError("request_deadline", "The request took longer than its deadline allows.")
    : new ChatError("aborted", "The request was cancelled.");
}

function errorContext(model: AiSdkModel, options: LanguageModelOptions, provider: string): ErrorContext {
  return {
    provider,
    modelId: model.modelId,
    // The SDK's own are such as `openai.responses`.
    label: options.label ?? provider.replace(/\..*/, ""),
    keyHint: options.keyHint ?? null,
    secrets: options.secrets ?? [],
    now: options.now ?? Date.now,
  };
}

function same(name: string): string {
  return name;
}
