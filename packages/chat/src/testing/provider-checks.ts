/** What holds of any answer and any failure, whether the back end plays a script or says what it likes. */
import type { ChatError } from "../errors.ts";
import type { ModelEvent } from "../model.ts";
import { equal, isTrue } from "./expectations.ts";
import { finishOf, type Read } from "./provider-asking.ts";

type Finish = ModelEvent & { readonly type: "finish" };

/** One finish, and it is the last event. */
export function onlyFinish(answer: Read): Finish {
  equal(answer.events.filter((event) => event.type === "finish").length, 1);
  return finishOf(answer);
}

/** Counts are whole tokens, the total is the sum, and the cached ones are a part of the input. Null is not known. */
export function countsAddUp({ usage }: Finish): void {
  if (usage === null) return;
  for (const [name, count] of Object.entries(usage)) {
    isTrue(count === null || (Number.isSafeInteger(count) && count >= 0), `${name} is ${count}, no number of tokens`);
  }
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens } = usage;
  const known = inputTokens !== null && outputTokens !== null && totalTokens !== null;
  if (known) equal(totalTokens, inputTokens + outputTokens);
  const partial = cachedInputTokens === null || inputTokens === null || cachedInputTokens <= inputTokens;
  isTrue(partial, "more tokens are cached than there are in the input");
}

export function isOneLine({ message }: ChatError): void {
  isTrue(message.trim() !== "" && !message.includes("\n"), "the message is no line of text");
}
