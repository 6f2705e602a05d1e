/**
 * Messages as an AI SDK v4 prompt. What a provider recorded of its own messages goes back verbatim only for the most
 * recent unbroken row of assistant messages of the same provider and model; older ones, and other models', go as text,
 * tool calls and results, their IDs rewritten so that every protocol accepts them. Every call keeps its result.
 */
import {
  type AssistantMessage,
  type Message,
  type ToolMessage,
  type ToolResult,
  type UserMessage,
  userTexts,
} from "../messages.ts";
import { wireName } from "../tools.ts";
import {
  type AiSdkAssistantPart,
  type AiSdkMessage,
  type AiSdkPrompt,
  type AiSdkText,
  type AiSdkToolResult,
  mutable,
} from "./ai-sdk-types.ts";

export interface PromptOptions {
  readonly provider: string;
  readonly modelId: string;
  /** False: tool calls and results are told in words, as the model cannot be given them otherwise. */
  readonly supportsTools: boolean;
  /** False: the provider takes dots in tool names. */
  readonly wireNames: boolean;
  /** True: Anthropic's marks stand on what its prompt cache may keep. */
  readonly cacheMarks?: boolean;
}

/** Anthropic refuses a request with more. The last ones serve best: a mark keeps all that is before it. */
const mostCacheMarks = 4;

export function toPrompt(system: string, messages: readonly Message[], options: PromptOptions): AiSdkPrompt {
  const prompt: AiSdkPrompt = system === "" ? [] : [{ role: "system", content: system }];
  const ownFrom = startOfOwnRow(messages, options);
  const usedIds = new Set<string>();
  const marked = options.cacheMarks ? messages.filter((one) => one.role === "user" && one.cached) : [];
  const marks = new Set(marked.slice(-mostCacheMarks));
  let ids: ReadonlyMap<string, string> = new Map();
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") prompt.push(userMessage(message, marks.has(message)));
    else if (message.role === "assistant") {
      const verbatim = index >= ownFrom && isSendable(message, options);
      ids = callIds(message, verbatim, usedIds);
      prompt.push(...(verbatim ? recorded(message) : assistantMessage(message, ids, options)));
    } else prompt.push(...toolMessage(message, ids, options));
  }
  return prompt;
}

/** The index from which every assistant message is this provider's and this model's. */
function startOfOwnRow(messages: readonly Message[], options: PromptOptions): number {
  const last = messages.findLastIndex(
    (message) =>
      message.role === "assistant" && (message.provider !== options.provider || message.model !== options.modelId),
  );
  return last + 1;
}

/** A record with calls in it is of no use to a model that may not call any more: their results go in words. */
function isSendable(message: AssistantMessage, options: PromptOptions): boolean {
  const { continuation, toolCalls } = message;
  if (!Array.isArray(continuation) || continuation.length === 0) return false;
  return options.supportsTools || toolCalls.length === 0;
}

function recorded(message: AssistantMessage): AiSdkMessage[] {
  return [{ role: "assistant", content: message.continuation as unknown as AiSdkAssistantPart[] }];
}

function userMessage(message: UserMessage, marked: boolean): AiSdkMessage {
  const content = userTexts(message).map((text): AiSdkText => ({ type: "text", text }));
  const last = content.at(-1);
  if (marked && last) last.providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
  return { role: "user", content };
}

function assistantMessage(
  message: AssistantMessage,
  ids: ReadonlyMap<string, string>,
  options: PromptOptions,
): AiSdkMessage[] {
  const content: AiSdkAssistantPart[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  for (const call of message.toolCalls) {
    if (options.supportsTools) {
      content.push({
        type: "tool-call",
        toolCallId: ids.get(call.toolCallId) ?? call.toolCallId,
        toolName: nameFor(call.toolName, options),
        input: call.input,
      });
    } else content.push({ type: "text", text: `[Called ${call.toolName} with ${JSON.stringify(call.input)}]` });
  }
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

function toolMessage(message: ToolMessage, ids: ReadonlyMap<string, string>, options: PromptOptions): AiSdkMessage[] {
  if (message.results.length === 0) return [];
  if (!options.supportsTools) {
    const text = message.results.map((r) => `[${r.toolName} ${r.state}: ${JSON.stringify(r.output)}]`).join("\n");
    return [{ role: "user", content: [{ type: "text", text }] }];
  }
  const content = message.results.map(
    (result): AiSdkToolResult => ({
      type: "tool-result",
      toolCallId: ids.get(result.toolCallId) ?? result.toolCallId,
      toolName: nameFor(result.toolName, options),
      output: outputOf(result),
    }),
  );
  return [{ role: "tool", content }];
}

function outputOf(result: ToolResult): AiSdkToolResult["output"] {
  const completed = result.state === "completed";
  if (typeof result.output === "string") {
    return { type: completed ? "text" : "error-text", value: result.output };
  }
  return { type: completed ? "json" : "error-json", value: mutable(result.output) };
}

function nameFor(toolName: string, options: PromptOptions): string {
  return options.wireNames ? wireName(toolName) : toolName;
}

/** IDs for one assistant message's calls: its own when sent verbatim, else rewritten; none is used twice. */
function callIds(message: AssistantMessage, verbatim: boolean, used: Set<string>): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { toolCallId } of message.toolCalls) {
    const id = verbatim ? toolCallId : portableCallId(toolCallId, used);
    used.add(id);
    ids.set(toolCallId, id);
  }
  return ids;
}

/** Nine letters and digits, which is all that Mistral takes and every other protocol takes too. */
export function portableCallId(toolCallId: string, used: ReadonlySet<string> = new Set()): string {
  for (let attempt = 0; ; attempt++) {
    const id = hash(attempt === 0 ? toolCallId : `${attempt}:${toolCallId}`);
    if (!used.has(id)) return id;
  }
}

/** cyrb53, in base 36. Not cryptographic: it only has to spread. */
function hash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  const value = 4294967296 * (2097151 & b) + (a >>> 0);
  return (value % 36 ** 9).toString(36).padStart(9, "0");
}
