/** Whether a value from anywhere is a snapshot, and a conversation that a provider accepts. Loaded when one is restored. */
import { ChatError } from "./errors.ts";
import { wellFormed } from "./json.ts";
import type { Message } from "./messages.ts";
import { format, type Snapshot, version } from "./snapshot.ts";

/** A copy, known to be whole: a conversation that a provider accepts. Throws `snapshot_newer` or `snapshot_invalid`. */
export function checkSnapshot(given: unknown): Snapshot {
  if (!isObject(given) || given.format !== format) throw invalid("it is not one");
  if (typeof given.version === "number" && given.version > version) throw newerSnapshot(given.version);
  if (given.version !== version) throw invalid("its version is unknown");
  let copy: unknown;
  try {
    copy = wellFormed(JSON.parse(JSON.stringify(given)));
  } catch (thrown) {
    throw invalid("it is no JSON value", thrown);
  }
  if (!isSnapshot(copy)) throw invalid("a part of it is missing or wrong");
  return copy;
}

export function newerSnapshot(actual: number): ChatError {
  return new ChatError(
    "snapshot_newer",
    `This snapshot was made by a newer @poppet/chat (version ${actual}, at most ${version} is known). Update the package.`,
    { details: { actual, known: version } },
  );
}

function invalid(why: string, cause?: unknown): ChatError {
  return new ChatError("snapshot_invalid", `This snapshot cannot be restored: ${why}. Nothing was changed.`, { cause });
}

type Fields = { readonly [key: string]: unknown };

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isOne);
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown) => typeof value === "number" && value >= 0;
const isCountOrNull = (value: unknown) => value === null || isCount(value);

function isSnapshot(value: unknown): value is Snapshot {
  return isObject(value) && isConversation(value.conversation) && isUsage(value.usage);
}

function isConversation(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.type === "session") {
    return isText(value.provider) && "state" in value && isListOf(value.pending, isUser);
  }
  const summarised = value.summary === null || isText(value.summary);
  return value.type === "transcript" && summarised && isListOf(value.exchanges, isExchange);
}

function isExchange(value: unknown): boolean {
  return isListOf(value, isMessage) && value.length > 0 && isUser(value[0]) && isPaired(value as readonly Message[]);
}

/** Each call has an ID of its own and its result in the next message, and no result is without a call: else providers refuse the request. */
function isPaired(messages: readonly Message[]): boolean {
  return messages.every((message, i) => {
    if (message.role === "user") return true;
    const [asking, next] = message.role === "tool" ? [messages[i - 1], message] : [message, messages[i + 1]];
    const calls = asking?.role === "assistant" ? asking.toolCalls : [];
    const results = next?.role === "tool" ? next.results : [];
    const ids = new Set(calls.map((call) => call.toolCallId));
    return (
      ids.size === calls.length &&
      results.length === calls.length &&
      results.every((result, n) => result.toolCallId === calls[n]?.toolCallId)
    );
  });
}

function isUser(value: unknown): boolean {
  if (!isObject(value) || value.role !== "user" || !isText(value.text)) return false;
  const { sources = [], cached = false } = value;
  const isSource = (one: unknown) => isObject(one) && isText(one.label) && isText(one.text);
  return isListOf(sources, isSource) && typeof cached === "boolean" && (value.text !== "" || sources.length > 0);
}

function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isCall = (one: unknown) => isObject(one) && isText(one.toolCallId) && isText(one.toolName);
  switch (value.role) {
    case "user":
      return isUser(value);
    case "tool":
      return isListOf(value.results, (one) => isCall(one) && isObject(one) && "output" in one && states.has(one.state));
    case "assistant":
      return (
        [value.text, value.reasoning, value.provider, value.model].every(isText) &&
        isListOf(value.toolCalls, (one) => isCall(one) && isObject(one) && "input" in one) &&
        "continuation" in value &&
        (value.measured === null ||
          (isObject(value.measured) && isCount(value.measured.tokens) && isCount(value.measured.bytes)))
      );
    default:
      return false;
  }
}
const states: ReadonlySet<unknown> = new Set(["completed", "failed", "rejected"]);

const counts = ["inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens"];
const isTokens = (value: unknown) => isObject(value) && counts.every((count) => isCountOrNull(value[count]));

function isUsage(value: unknown): boolean {
  const isTotal = (one: unknown) =>
    isObject(one) && isCount(one.count) && isCount(one.unreported) && (one.tokens === null || isTokens(one.tokens));
  return isObject(value) && isTotal(value.turns) && isTotal(value.compactions);
}
