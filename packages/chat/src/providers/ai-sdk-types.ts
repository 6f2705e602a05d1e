/**
 * The part of the AI SDK's language model specification, v4 and v3, that the adapter uses, as structural types of our
 * own, so that the library depends on no package for them. `ai-sdk.test.ts` holds that the SDK's own types fit.
 */
import type { Json } from "../json.ts";

/** The AI SDK's LanguageModelV4 and LanguageModelV3 fit. */
export interface AiSdkModel {
  readonly specificationVersion: "v4" | "v3";
  readonly provider: string;
  readonly modelId: string;
  /** Some packages say so. */
  readonly supportsStructuredOutputs?: boolean;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: ReadableStream<{ readonly type: string }> }>;
}

export interface AiSdkCall {
  prompt: AiSdkPrompt;
  tools?: AiSdkTool[];
  maxOutputTokens?: number;
  responseFormat?: { type: "json"; schema: JsonObject };
  /** v4 only. */
  reasoning?: "low" | "medium" | "high" | "xhigh" | "max";
  providerOptions?: AiSdkOptions;
  headers?: Record<string, string>;
  abortSignal?: AbortSignal;
}

/** By provider namespace. */
export type AiSdkOptions = Record<string, JsonObject>;
export type JsonObject = { [key: string]: MutableJson };
/** `Json` without `readonly`, as the SDK's types have it. */
export type MutableJson = null | boolean | number | string | MutableJson[] | JsonObject;

export interface AiSdkTool {
  type: "function";
  name: string;
  description: string;
  inputSchema: JsonObject;
}

export type AiSdkPrompt = AiSdkMessage[];
export type AiSdkMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: AiSdkText[] }
  | { role: "assistant"; content: AiSdkAssistantPart[] }
  | { role: "tool"; content: AiSdkToolResult[] };

export interface AiSdkText {
  type: "text";
  text: string;
  providerOptions?: AiSdkOptions;
}
export interface AiSdkReasoning {
  type: "reasoning";
  text: string;
  providerOptions?: AiSdkOptions;
}
export interface AiSdkToolCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: AiSdkOptions;
}
export interface AiSdkToolResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string } | { type: "json" | "error-json"; value: MutableJson };
}
export type AiSdkAssistantPart = AiSdkText | AiSdkReasoning | AiSdkToolCall;

/** The stream parts that mean something here; all others pass unread. */
export type AiSdkPart =
  | { readonly type: "text-start" | "reasoning-start"; readonly id: string; readonly providerMetadata?: AiSdkOptions }
  | {
      readonly type: "text-delta" | "reasoning-delta" | "tool-input-delta";
      readonly id: string;
      readonly delta: string;
      readonly providerMetadata?: AiSdkOptions;
    }
  | { readonly type: "text-end" | "reasoning-end"; readonly id: string; readonly providerMetadata?: AiSdkOptions }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
      readonly providerExecuted?: boolean;
      readonly providerMetadata?: AiSdkOptions;
    }
  | {
      readonly type: "finish";
      readonly finishReason: { readonly unified: string; readonly raw?: string | undefined };
      readonly usage: AiSdkUsage;
    }
  | { readonly type: "error"; readonly error: unknown };

export interface AiSdkUsage {
  readonly inputTokens?: { readonly total?: number | undefined; readonly cacheRead?: number | undefined };
  readonly outputTokens?: { readonly total?: number | undefined; readonly reasoning?: number | undefined };
}

/** A copy that the SDK's mutable types accept. */
export function mutable(value: Json): MutableJson {
  return value as MutableJson;
}
