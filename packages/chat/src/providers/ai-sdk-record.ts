/**
 * Keeps the record of one streamed message: turns stream parts into events, and holds the message in the form in which
 * it goes back to its provider. The work for one delta is constant.
 */
import type { Json } from "../json.ts";
import type { Usage } from "../messages.ts";
import type { ModelEvent } from "../model.ts";
import type {
  AiSdkAssistantPart,
  AiSdkOptions,
  AiSdkPart,
  AiSdkReasoning,
  AiSdkText,
  AiSdkUsage,
} from "./ai-sdk-types.ts";

export class MessageRecord {
  readonly #toolName: (wire: string) => string;
  readonly #content: AiSdkAssistantPart[] = [];
  readonly #texts = new Map<string, AiSdkText>();
  readonly #reasonings = new Map<string, { readonly part: AiSdkReasoning; section: number }>();
  #sections = 0;

  constructor(toolName: (wire: string) => string) {
    this.#toolName = toolName;
  }

  /** The event that the part stands for, if it stands for one. */
  take(part: Exclude<AiSdkPart, { type: "error" | "finish" }>): ModelEvent | null {
    switch (part.type) {
      case "text-delta": {
        const text = this.#texts.get(part.id) ?? this.#startText(part.id);
        text.text += part.delta;
        setOptions(text, part.providerMetadata);
        return part.delta === "" ? null : { type: "text", delta: part.delta };
      }
      case "reasoning-delta": {
        const reasoning = this.#reasonings.get(part.id) ?? this.#startReasoning(part.id);
        reasoning.part.text += part.delta;
        setOptions(reasoning.part, part.providerMetadata);
        if (part.delta === "") return null;
        // A section is counted at its first words: some providers open sections that stay empty.
        if (reasoning.section < 0) reasoning.section = this.#sections++;
        return { type: "reasoning", section: reasoning.section, delta: part.delta };
      }
      case "text-start":
        setOptions(this.#startText(part.id), part.providerMetadata);
        return null;
      case "reasoning-start":
        setOptions(this.#startReasoning(part.id).part, part.providerMetadata);
        return null;
      case "text-end":
        setOptions(this.#texts.get(part.id), part.providerMetadata);
        return null;
      case "reasoning-end":
        setOptions(this.#reasonings.get(part.id)?.part, part.providerMetadata);
        return null;
      case "tool-input-delta":
        return part.delta === "" ? null : { type: "tool-input", delta: part.delta };
      case "tool-call": {
        if (part.providerExecuted) return null;
        const { toolCallId, toolName, input } = part;
        const call: AiSdkAssistantPart = { type: "tool-call", toolCallId, toolName, input: parsedInput(input) };
        setOptions(call, part.providerMetadata);
        this.#content.push(call);
        return { type: "tool-call", toolCallId, toolName: this.#toolName(toolName), input };
      }
      default:
        return null;
    }
  }

  /** The whole message, as plain JSON; null for an empty one. */
  continuation(): Json | null {
    const kept = this.#content.filter((part) => part.type === "tool-call" || part.text !== "" || part.providerOptions);
    return kept.length === 0 ? null : (JSON.parse(JSON.stringify(kept)) as Json);
  }

  #startText(id: string): AiSdkText {
    const part: AiSdkText = { type: "text", text: "" };
    this.#texts.set(id, part);
    this.#content.push(part);
    return part;
  }

  #startReasoning(id: string): { readonly part: AiSdkReasoning; section: number } {
    const part: AiSdkReasoning = { type: "reasoning", text: "" };
    const started = { part, section: -1 };
    this.#reasonings.set(id, started);
    this.#content.push(part);
    return started;
  }
}

function setOptions(part: AiSdkAssistantPart | undefined, metadata: AiSdkOptions | undefined): void {
  if (part && metadata) part.providerOptions = metadata;
}

/** Protocols want an object here; what the model wrote wrongly was refused, and goes back as an empty one. */
function parsedInput(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** Null where the provider said nothing at all. */
export function toUsage(usage: AiSdkUsage): Usage | null {
  const inputTokens = usage.inputTokens?.total ?? null;
  const outputTokens = usage.outputTokens?.total ?? null;
  if (inputTokens === null && outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
    reasoningTokens: usage.outputTokens?.reasoning ?? null,
    cachedInputTokens: usage.inputTokens?.cacheRead ?? null,
  };
}
