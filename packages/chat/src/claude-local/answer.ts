/**
 * What Claude Code writes in its `stream-json` format, line by line, as a model's events. A line that is no message of
 * it is passed over, as are messages of kinds that say nothing about the answer. Throws where a tool is there that was
 * not opened: that is known before the first request is made.
 */
import { ChatError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Usage } from "../messages.ts";
import type { FinishReason, ModelEvent } from "../model.ts";
import type { ClaudeAccess } from "./command-line.ts";

/** What the program says of a failure, as far as it does. */
export interface SaidFailure {
  readonly words: string;
  /** Its own word for it: `rate_limit`. */
  readonly kind: string | null;
  readonly status: number | null;
}

export type Outcome =
  | { readonly type: "answered"; readonly sessionId: string; readonly events: readonly ModelEvent[] }
  | { readonly type: "failed"; readonly said: SaidFailure }
  /** It ended without a word on how it went. */
  | { readonly type: "cut" };

type Fields = { readonly [key: string]: Json };

export class AnswerReader {
  /** Text has come. */
  started = false;
  /** The program has said how it went; what follows changes nothing. */
  finished = false;
  /** When a limit that was reached ends, in Unix milliseconds. */
  retryAt: number | null = null;
  #checked = false;
  #sessionId: string | null = null;
  #section = -1;
  #betweenSections = true;
  #betweenMessages = false;
  #stopReason: string | null = null;
  #kind: string | null = null;
  #words = "";
  #result: Fields | null = null;
  readonly #access: ClaudeAccess;

  constructor(access: ClaudeAccess) {
    this.#access = access;
  }

  take(line: string): readonly ModelEvent[] {
    const message = messageOf(line);
    // Of an agent of its own, which has tools only where they were opened.
    if (!message || typeof message.parent_tool_use_id === "string") return [];
    switch (message.type) {
      case "system":
        if (message.subtype === "init") this.#begin(message);
        return [];
      case "stream_event":
        return this.#stream(fieldsOf(message.event));
      case "assistant":
        this.#noteFailure(message);
        return [];
      case "rate_limit_event":
        this.#noteLimit(fieldsOf(message.rate_limit_info));
        return [];
      case "result":
        this.#result = message;
        this.finished = true;
        return [];
      default:
        return [];
    }
  }

  /** Once the program has ended. */
  end(): Outcome {
    const result = this.#result;
    const said = this.#failure(result);
    if (said && said.kind !== "max_output_tokens") return { type: "failed", said };
    const sessionId = textOf(result?.session_id) || this.#sessionId;
    if (!result || !this.#checked || !sessionId) return { type: "cut" };
    const text = textOf(result.result);
    const unsaid: readonly ModelEvent[] = this.started || said || text === "" ? [] : [{ type: "text", delta: text }];
    const reason = said ? "length" : reasonOf(textOf(result.stop_reason) || this.#stopReason);
    const finish: ModelEvent = { type: "finish", reason, usage: usageOf(fieldsOf(result.usage)), continuation: null };
    return { type: "answered", sessionId, events: [...unsaid, finish] };
  }

  #begin(message: Fields): void {
    const { tools: opened = [], mcpConfig } = this.#access;
    const isOpen = (name: string) =>
      name.startsWith("mcp__") ? mcpConfig !== undefined : opened.includes("default") || opened.includes(name);
    const others = listOf(message.tools)
      .map(textOf)
      .filter((name) => !isOpen(name));
    const servers = mcpConfig === undefined ? listOf(message.mcp_servers) : [];
    if (!Array.isArray(message.tools) || others.length > 0 || servers.length > 0) throw notHeld(others);
    this.#checked = true;
    this.#sessionId = textOf(message.session_id) || null;
  }

  #stream(event: Fields): readonly ModelEvent[] {
    if (!this.#checked) throw notHeld([]);
    const delta = fieldsOf(event.delta);
    switch (event.type) {
      case "message_start":
        this.#betweenMessages = this.started;
        return [];
      case "content_block_start":
        if (fieldsOf(event.content_block).type === "thinking") this.#betweenSections = true;
        return [];
      case "content_block_delta":
        if (delta.type === "text_delta") return this.#say(textOf(delta.text));
        return delta.type === "thinking_delta" ? this.#think(textOf(delta.thinking)) : [];
      case "message_delta":
        this.#stopReason = textOf(delta.stop_reason) || this.#stopReason;
        return [];
      default:
        return [];
    }
  }

  /** What it says before and after its own tools is one text, a blank line between. */
  #say(text: string): readonly ModelEvent[] {
    if (text === "") return [];
    const delta = this.#betweenMessages ? `\n\n${text}` : text;
    this.#betweenMessages = false;
    this.started = true;
    return [{ type: "text", delta }];
  }

  /** A section is counted at its first words: some stay empty. */
  #think(delta: string): readonly ModelEvent[] {
    if (delta === "") return [];
    if (this.#betweenSections) this.#section++;
    this.#betweenSections = false;
    return [{ type: "reasoning", section: this.#section, delta }];
  }

  /** It reports a failed request as a message of its own making. */
  #noteFailure({ error, message }: Fields): void {
    const kind = textOf(error);
    if (kind === "") return;
    this.#kind = kind;
    const said = listOf(fieldsOf(message).content).map((part) => textOf(fieldsOf(part).text));
    this.#words = said.join(" ").trim();
  }

  #noteLimit({ status, resetsAt }: Fields): void {
    if (status !== "rejected" || typeof resetsAt !== "number") return;
    const at = resetsAt < 1e11 ? resetsAt * 1000 : resetsAt;
    if (isTime(at)) this.retryAt = at;
  }

  #failure(result: Fields | null): SaidFailure | null {
    const failed = result === null ? this.#kind !== null : result.is_error === true || result.subtype !== "success";
    if (!failed) return null;
    const errors = listOf(result?.errors).map(textOf).join(" ");
    const { api_error_status: status = null, subtype } = result ?? {};
    return {
      words: textOf(result?.result) || errors || this.#words || textOf(subtype).replaceAll("_", " "),
      kind: this.#kind,
      status: typeof status === "number" ? status : null,
    };
  }
}

function notHeld(tools: readonly string[]): ChatError {
  const named = tools.length > 0 ? ` (${tools.slice(0, 5).join(", ")})` : "";
  return new ChatError(
    "provider_rejected",
    `This Claude Code has tools or servers that were not opened${named}, and was stopped before it did anything. Update it.`,
    { details: { tools: tools.slice(0, 20) } },
  );
}

/** The object in a line; terminal sequences may stand before it. */
function messageOf(line: string): Fields | null {
  const from = line.indexOf("{");
  if (from < 0) return null;
  try {
    return fieldsOf(JSON.parse(line.slice(from)));
  } catch {
    return null;
  }
}

function reasonOf(stopReason: string | null): FinishReason {
  switch (stopReason) {
    case null:
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "content-filter";
    default:
      return "other";
  }
}

/** Anthropic counts what it read from its cache, and what it wrote there, apart from the rest of the input. */
function usageOf(usage: Fields): Usage | null {
  const input = countOf(usage.input_tokens);
  const output = countOf(usage.output_tokens);
  if (input === null || output === null) return null;
  const cachedInputTokens = countOf(usage.cache_read_input_tokens);
  const inputTokens = input + (cachedInputTokens ?? 0) + (countOf(usage.cache_creation_input_tokens) ?? 0);
  const totalTokens = inputTokens + output;
  return { inputTokens, outputTokens: output, totalTokens, reasoningTokens: null, cachedInputTokens };
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** What a Date can be. */
function isTime(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}

function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && value >= 0 ? value : null;
}
