/** A model that plays a script, for tests: exact events, hangs and failures, and a record of what it was asked. */
import type { Json } from "../json.ts";
import type { Usage } from "../messages.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest } from "../model.ts";

/** `"hang"` waits until the request is aborted; an Error is thrown. */
export type ScriptedItem = ModelEvent | "hang" | Error;
/** One request's answer: fixed, or made from the request. A step without a `finish` item is cut off unless it is a string. */
export type ScriptedStep =
  | string
  | readonly ScriptedItem[]
  | ((request: ModelRequest) => string | readonly ScriptedItem[]);

/** A model with every request that it got, oldest first. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
}

/** Plays one step a request, in order; the last one again for requests beyond the script. */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  options: Partial<Pick<Model, "provider" | "modelId" | "supportsTools" | "supportsSchema">> = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    provider: options.provider ?? "scripted",
    modelId: options.modelId ?? "script",
    supportsTools: options.supportsTools ?? true,
    supportsSchema: options.supportsSchema ?? false,
    requests,
    async *stream(request) {
      request.signal.throwIfAborted();
      const step = steps[Math.min(requests.length, steps.length - 1)] ?? "";
      requests.push(request);
      const played = typeof step === "function" ? step(request) : step;
      for (const item of typeof played === "string" ? [say(played), finish()] : played) {
        request.signal.throwIfAborted();
        if (item instanceof Error) throw item;
        if (item === "hang") await aborted(request.signal);
        else yield item;
      }
    },
  };
}

/** A piece of text. */
export function say(delta: string): ModelEvent {
  return { type: "text", delta };
}

/** A piece of reasoning. */
export function think(delta: string, section = 0): ModelEvent {
  return { type: "reasoning", section, delta };
}

/** A tool request with its arguments as JSON. */
export function call(toolName: string, input: Json, toolCallId = `call-${toolName}`): ModelEvent {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/**
 * The end of an answer; by default it stopped by itself and counted 10 tokens in, 5 out. To see a
 * window fill up, count nothing, `finish("stop", null)`, or what a real model would: what is counted is believed.
 */
export function finish(
  reason: FinishReason = "stop",
  usage: Partial<Usage> | null = { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  continuation: Json | null = null,
): ModelEvent {
  const unknown = {
    inputTokens: null,
    outputTokens: null,
    totalTokens: null,
    reasoningTokens: null,
    cachedInputTokens: null,
  };
  return { type: "finish", reason, usage: usage && { ...unknown, ...usage }, continuation };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
