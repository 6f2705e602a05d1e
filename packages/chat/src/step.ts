/** One model request of a turn, gathered from its events: text, tool requests, how it ended, and the limits on them. */
import { ChatError } from "./errors.ts";
import type { Json } from "./json.ts";
import { countedUsage, type Usage } from "./messages.ts";
import type { FinishReason, ModelEvent } from "./model.ts";
import { utf8Length } from "./text.ts";
import type { TurnEvent } from "./turn-events.ts";

export interface ToolRequest {
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON text as the model wrote it. */
  readonly input: string;
}

export interface StepAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolRequests: readonly ToolRequest[];
  readonly usage: Usage | null;
  readonly continuation: Json | null;
}

/** Takes a step's events one by one; throws ChatError where a limit is passed or the answer cannot be used. */
export class StepGatherer {
  finished = false;
  #text = "";
  #reasoning = "";
  #textBytes = 0;
  #recordBytes: number;
  /** Of `#recordBytes`, those of arguments whose tool request has not come yet. */
  #inputBytes = 0;
  #heldText = "";
  #toolRequests: ToolRequest[] = [];
  #finish: Extract<ModelEvent, { type: "finish" }> | null = null;

  readonly #step: number;
  readonly #limits: { readonly answerBytes: number; readonly recordBytes: number };

  /** `recordBytes` is what the turn's earlier steps have taken of `limits.recordBytes`. */
  constructor(
    step: number,
    limits: { readonly answerBytes: number; readonly recordBytes: number },
    recordBytes: number,
  ) {
    this.#step = step;
    this.#limits = limits;
    this.#recordBytes = recordBytes;
  }

  /** The event to report, if there is one. */
  take(event: ModelEvent): TurnEvent | null {
    switch (event.type) {
      case "text":
        return this.#takeText(event.delta);
      case "reasoning":
        if (event.delta === "") return null;
        this.#reasoning += event.delta;
        this.#record(utf8Length(event.delta));
        return { type: "reasoning", step: this.#step, section: event.section, delta: event.delta };
      case "tool-input":
        this.#inputBytes += utf8Length(event.delta);
        this.#record(utf8Length(event.delta));
        return null;
      case "tool-call":
        this.#record(utf8Length(event.toolCallId) + utf8Length(event.toolName));
        this.#takeInput(utf8Length(event.input));
        this.#toolRequests.push({
          toolCallId: event.toolCallId.toWellFormed(),
          toolName: event.toolName.toWellFormed(),
          input: event.input,
        });
        return null;
      case "finish":
        this.#finish = { ...event, usage: countedUsage(event.usage) };
        this.finished = true;
        return this.#addWhole(this.#heldText);
    }
  }

  /** The whole answer, once the stream has ended. `usedIds` are the tool call IDs that the turn has had. */
  end(usedIds: Set<string>): StepAnswer {
    const finish = this.#finish;
    refuseUnusable(finish?.reason ?? null);
    const toolRequests = withOwnIds(this.#toolRequests, usedIds);
    if (toolRequests.length === 0 && this.#text.trim() === "") {
      throw new ChatError("answer_empty", "The model answered without any text. Ask again, or choose another model.");
    }
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      toolRequests,
      usage: finish?.usage ?? null,
      continuation: toolRequests === this.#toolRequests ? (finish?.continuation ?? null) : null,
    };
  }

  get usage(): Usage | null {
    return this.#finish?.usage ?? null;
  }

  /** A high surrogate at a delta's end waits for its other half, so that no reader sees half a character. */
  #takeText(delta: string): TurnEvent | null {
    const bytes = utf8Length(delta);
    // Of one byte a character: most of what comes, and nothing to look into.
    if (bytes === delta.length && this.#heldText === "") return this.#addText(delta, bytes);
    let text = this.#heldText + delta;
    this.#heldText = "";
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#heldText = text.slice(-1);
      text = text.slice(0, -1);
    }
    return this.#addWhole(text);
  }

  #addWhole(given: string): TurnEvent | null {
    const text = given.toWellFormed();
    return this.#addText(text, utf8Length(text));
  }

  /** What is reported is what is saved: the deltas of a step, one after the other, are its text. */
  #addText(text: string, bytes: number): TurnEvent | null {
    if (text === "") return null;
    this.#text += text;
    this.#textBytes += bytes;
    if (this.#textBytes > this.#limits.answerBytes) {
      throw tooLarge("answerBytes", this.#limits.answerBytes, this.#textBytes);
    }
    this.#record(bytes);
    return { type: "text", step: this.#step, delta: text };
  }

  /** What came piece by piece is counted already. */
  #takeInput(bytes: number): void {
    const counted = Math.min(bytes, this.#inputBytes);
    this.#inputBytes -= counted;
    this.#record(bytes - counted);
  }

  #record(bytes: number): void {
    this.#recordBytes += bytes;
    refuseRecord(this.#recordBytes, this.#limits.recordBytes);
  }
}

/** What an answer and its continuation data may take. */
export function refuseRecord(actual: number, limit: number): void {
  if (actual > limit) throw tooLarge("recordBytes", limit, actual);
}

const tooLargeWords = {
  answerBytes: { code: "answer_too_large", what: "The answer" },
  recordBytes: { code: "record_too_large", what: "The answer with its continuation data" },
} as const;

function tooLarge(setting: keyof typeof tooLargeWords, limit: number, actual: number): ChatError {
  const { code, what } = tooLargeWords[setting];
  return new ChatError(
    code,
    `${what} is larger than ${limit} bytes; it was stopped and not saved. Ask for less at once, or raise ${setting} of the limits.`,
    { details: { limit, actual } },
  );
}

function refuseUnusable(reason: FinishReason | null): void {
  switch (reason) {
    case "stop":
    case "tool-calls":
    case "other":
      return;
    case "length":
      throw new ChatError(
        "answer_truncated",
        "The answer reached the model's output limit and was cut. Ask for less at once, or raise maxOutputTokens of this model.",
      );
    case "content-filter":
      throw new ChatError("answer_filtered", "The provider refused this content. Say it in another way.");
    case "error":
      throw new ChatError("provider_server", "The provider ended the answer with an error. Try again later.");
    case "interrupted":
    case null:
      throw new ChatError("answer_unfinished", "The answer was cut off before its end. Send the message again.");
  }
}

/** Some servers leave tool call IDs empty or use one twice; then all of the step get new ones. */
function withOwnIds(requests: readonly ToolRequest[], usedIds: Set<string>): readonly ToolRequest[] {
  if (requests.length === 0) return requests;
  const ids = requests.map((request) => request.toolCallId);
  const clean = new Set(ids).size === ids.length && ids.every((id) => id !== "" && !usedIds.has(id));
  const own = clean ? requests : requests.map((request) => ({ ...request, toolCallId: freshId(usedIds) }));
  for (const request of own) usedIds.add(request.toolCallId);
  return own;
}

function freshId(usedIds: Set<string>): string {
  for (let n = usedIds.size + 1; ; n++) {
    const id = `call_${n}`;
    if (usedIds.has(id)) continue;
    usedIds.add(id);
    return id;
  }
}
