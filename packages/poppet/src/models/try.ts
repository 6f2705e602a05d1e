/** One short question to a model that is about to be chosen, outside any session. Throws what a run would fail with. */
import { ChatError, Scope, systemClock } from "@poppet/chat";
import type { Settings } from "../settings.ts";
import type { ModelDeps } from "./connection.ts";
import { openModel } from "./registry.ts";

export type TrialEvent = { readonly type: "text" | "reasoning"; readonly delta: string };

const question = "Say hello in one short sentence.";
/** Enough for a model that thinks first. */
const maxOutputTokens = 1_024;

export async function* tryModel(settings: Settings, deps: ModelDeps, signal: AbortSignal): AsyncGenerator<TrialEvent> {
  const { provider, model } = settings;
  if (provider === null || model === null) return;
  const opened = await openModel({ provider, model }, settings, deps, signal);
  const ms = opened.requestMs;
  const late = () => new ChatError("request_deadline", `No answer within ${Math.round(ms / 1000)} seconds.`);
  const scope = new Scope(signal, { ms, clock: systemClock, error: late });
  try {
    const request = { system: "", messages: [{ role: "user" as const, text: question }], tools: [], maxOutputTokens };
    let finished = false;
    for await (const event of opened.model.stream({ ...request, signal: scope.signal })) {
      if (event.type === "text" || event.type === "reasoning") yield { type: event.type, delta: event.delta };
      if (event.type === "finish") finished = event.reason !== "error" && event.reason !== "content-filter";
    }
    if (!finished) throw new ChatError("answer_unfinished", "The model gave no whole answer.");
  } finally {
    scope.release();
    await opened.close();
  }
}
