/** What a provider of one's own streams, checked where it comes in: an event that is none is an error that says which part of it. */
import { ChatError } from "../errors.ts";
import type { ModelEvent } from "../model.ts";

/** The parts that must be text. `delta` of an event of no known type is nobody's. */
const texts: { readonly [type: string]: readonly string[] } = {
  text: ["delta"],
  reasoning: ["delta"],
  "tool-input": ["delta"],
  "tool-call": ["toolCallId", "toolName", "input"],
};

/** Throws `provider_malformed`; `label` is what errors call the provider. */
export function checkedEvent(event: ModelEvent, label: string): ModelEvent {
  const parts: { readonly [part: string]: unknown } | null | undefined = event;
  if (typeof parts !== "object" || parts === null)
    throw malformed(label, `an event is ${kindOf(event)}, not an object`);
  if (event.type === "finish") {
    return { ...event, usage: event.usage ?? null, continuation: event.continuation ?? null };
  }
  for (const part of Object.hasOwn(texts, event.type) ? (texts[event.type] ?? []) : []) {
    if (typeof parts[part] !== "string") {
      throw malformed(label, `${part} of an event "${event.type}" is ${kindOf(parts[part])}, not text`);
    }
  }
  return event;
}

function malformed(label: string, what: string): ChatError {
  return new ChatError("provider_malformed", `What came from ${label} cannot be read: ${what}.`);
}

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `of type ${typeof value}`;
}
