/**
 * What the model is sent: the most recent complete exchanges that fit, never part of one. Trimming changes a request,
 * never the transcript; its cost follows what is sent, not how long the conversation is.
 */
import { ChatError } from "./errors.ts";
import { type AssistantMessage, type Exchange, type Message, messageBytes, messagesBytes } from "./messages.ts";
import { utf8Length } from "./text.ts";
import type { Tip, Transcript } from "./transcript.ts";

/** What the model can see of a conversation. */
export interface Context {
  /** In place of everything before the exchanges. */
  readonly summary: string | null;
  /** Oldest first. */
  readonly exchanges: readonly Exchange[];
}

/** Of a conversation that has not begun. */
export const emptyContext: Context = { summary: null, exchanges: [] };

/** How much of it one request takes. */
export interface ContextBudget {
  /** The most exchanges before the current one. */
  readonly exchanges: number;
  /** The most UTF-8 bytes, instructions and the current exchange included. */
  readonly bytes: number;
  /** The most tokens, likewise: the model's window without the room kept for output. See `inputTokens`. */
  readonly tokens: number;
}

/** The window where the model's own is unknown, in tokens. */
const assumedWindow = 128_000;

/** Tokens that a request may take: the window less the room for output, which is at most a quarter of it. */
export function inputTokens(window: number | null, maxOutputTokens: number | null): number {
  const total = window ?? assumedWindow;
  const quarter = Math.floor(total / 4);
  return total === Infinity ? total : total - Math.min(maxOutputTokens ?? quarter, quarter);
}

/**
 * Reads back from an entry to the last clear, the nearest summary, or as far as the budget can ever reach. A summary
 * beside a clear stands for it and all before it, as beside any other entry.
 */
export async function readContext(
  transcript: Transcript,
  from: Tip,
  budget: Pick<ContextBudget, "exchanges" | "bytes">,
): Promise<Context> {
  const newestFirst: { id: string; messages: Message[]; bytes: number }[] = [];
  let bytes = 0;
  let summary: string | null = null;
  for await (const entry of transcript.back(from)) {
    summary = entry.summary;
    if (summary !== null || entry.content.role === "clear") break;
    let exchange = newestFirst.at(-1);
    if (exchange?.id !== entry.exchange) {
      if (newestFirst.length >= budget.exchanges || bytes > budget.bytes) break;
      exchange = { id: entry.exchange, messages: [], bytes: 0 };
      newestFirst.push(exchange);
    }
    exchange.messages.unshift(entry.content);
    exchange.bytes += entry.bytes;
    bytes += entry.bytes;
  }
  return { summary, exchanges: newestFirst.reverse() };
}

/** What one request sends, and the UTF-8 bytes that this takes, instructions and tools included. */
export interface FittedRequest {
  readonly messages: readonly Message[];
  readonly bytes: number;
}

/**
 * The messages to send: the summary, as many of the newest exchanges as fit, and the current one whole. If that alone
 * does not fit: ChatError `context_overflow`, whose details say by how much.
 */
export function fitContext(
  { summary, exchanges }: Context,
  current: readonly Message[],
  budget: ContextBudget,
  request: { readonly provider: string; readonly model: string; readonly overheadBytes: number },
): FittedRequest {
  const messages = summary === null ? [] : [summaryMessage(summary)];
  let bytes = request.overheadBytes + messagesBytes(messages) + messagesBytes(current);
  let first = exchanges.length;
  const measure = tokenMeasure(exchanges, current, request);
  const what = current.length > 1 ? "This turn, with what its tools returned," : "The message";
  refuseOverflow(what, bytes, budget.bytes, "bytes");
  refuseOverflow(what, measure(bytes, first), budget.tokens, "tokens");

  while (first > 0 && exchanges.length - first < budget.exchanges) {
    const more = bytes + (exchanges[first - 1]?.bytes ?? 0);
    if (more > budget.bytes || measure(more, first - 1) > budget.tokens) break;
    bytes = more;
    first--;
  }
  for (const exchange of exchanges.slice(first)) messages.push(...exchange.messages);
  messages.push(...current);
  return { messages, bytes };
}

/** The estimated tokens of a request with all of the context in it: see `tokenMeasure`. */
export function estimateTokens(
  context: Context,
  current: readonly Message[],
  request: { readonly provider: string; readonly model: string; readonly overheadBytes: number },
): number {
  return tokenMeasure(
    context.exchanges,
    current,
    request,
  )(request.overheadBytes + contextBytes(context) + messagesBytes(current), 0);
}

/** What a context takes in a request, in UTF-8 bytes. */
export function contextBytes({ summary, exchanges }: Context): number {
  const head = summary === null ? 0 : messageBytes(summaryMessage(summary));
  return exchanges.reduce((bytes, exchange) => bytes + exchange.bytes, head);
}

function refuseOverflow(what: string, actual: number, limit: number, unit: "bytes" | "tokens"): void {
  if (actual <= limit) return;
  throw new ChatError(
    "context_overflow",
    `${what} is too large for the model's context by ${actual - limit} ${unit} (${actual} of at most ${limit}). Send less at once, or in parts.`,
    { details: { actual, limit, over: actual - limit, unit } },
  );
}

/**
 * Estimates the tokens of a request that begins with exchange `first` and has `bytes` in all: what this model last
 * reported for the bytes it had then, plus a third of the bytes beyond them; without a report, a third of all.
 */
function tokenMeasure(
  exchanges: readonly Exchange[],
  current: readonly Message[],
  request: { readonly provider: string; readonly model: string },
): (bytes: number, first: number) => number {
  const isReport = (message: Message): message is AssistantMessage =>
    message.role === "assistant" &&
    message.measured !== null &&
    message.provider === request.provider &&
    message.model === request.model;

  let since = 0;
  for (let row = exchanges.length; row >= 0; row--) {
    const exchange = exchanges[row];
    if (exchange && !exchange.messages.some(isReport)) {
      since += exchange.bytes;
      continue;
    }
    const messages = exchange?.messages ?? current;
    for (let i = messages.length - 1; i >= 0; i--) {
      const message = messages[i];
      if (!message || !isReport(message) || !message.measured) {
        since += message ? messageBytes(message) : 0;
        continue;
      }
      const { tokens, bytes: measured } = message.measured;
      const after = since;
      return (bytes, first) => {
        if (first > row) return Math.ceil(bytes / 3);
        const through = bytes - after;
        const counted = through < measured ? (tokens * through) / measured : tokens + (through - measured) / 3;
        return Math.ceil(counted + after / 3);
      };
    }
  }
  return (bytes) => Math.ceil(bytes / 3);
}

function summaryMessage(summary: string): Message {
  return { role: "user", text: `[Summary of the conversation so far]\n${summary}` };
}

/** The bytes that instructions and tool definitions add to every request. */
export function overheadBytes(
  system: string,
  tools: readonly { readonly name: string; readonly description: string; readonly inputJsonSchema: unknown }[],
): number {
  return tools.reduce(
    (bytes, tool) => bytes + utf8Length(tool.name + tool.description + JSON.stringify(tool.inputJsonSchema)),
    utf8Length(system),
  );
}
