/** A machine that counts, one token in each turn of the event loop and one request at a time: a model without a script. */
import { untilAborted } from "../src/abort.ts";
import { ChatError, type Model, type ModelEvent, type ModelRequest, type Usage } from "../src/index.ts";

const windowTokens = 400;

/** How it does it; each member can be a mistake. */
export interface Manner {
  event(event: ModelEvent, request: ModelRequest): readonly ModelEvent[];
  refuses(request: ModelRequest): boolean;
  tooLarge(): Error;
  signal(signal: AbortSignal): AbortSignal;
  most(asked: number): number;
  checksSignal: boolean;
  collects: boolean;
  busy: "waits" | "throws";
  /** What has to happen that the next request is served. */
  frees: "always" | "at the end" | "unless it failed" | "unless aborted early" | "unless aborted";
}

const right: Manner = {
  event: (event) => [event],
  refuses: () => false,
  tooLarge: () => new ChatError("context_too_large", "It does not fit."),
  signal: (signal) => signal,
  most: (asked) => asked,
  checksSignal: true,
  collects: false,
  busy: "waits",
  frees: "always",
};

export function counting(change: Partial<Manner> = {}): Model {
  const manner = { ...right, ...change };
  let last: Promise<void> = Promise.resolve();
  let running = 0;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    if (manner.checksSignal) request.signal.throwIfAborted();
    if (manner.busy === "throws" && running > 0) throw new ChatError("provider_overloaded", "One at a time.");
    running++;
    const free = Promise.withResolvers<void>();
    const before = last;
    last = free.promise;
    let at: "start" | "text" | "end" = "start";
    try {
      const signal = manner.signal(request.signal);
      await untilAborted(before, signal);
      const kept: ModelEvent[] = [];
      for await (const event of answer(request, manner)) {
        await untilAborted(new Promise((resolve) => setTimeout(resolve, 0)), signal);
        if (manner.collects) kept.push(event);
        else yield* manner.event(event, request);
        at = "text";
      }
      yield* kept;
      at = "end";
    } finally {
      running--;
      if (frees(manner, at, request.signal.aborted)) free.resolve();
    }
  }
  return { provider: "own", modelId: "m", supportsTools: true, stream };
}

function frees(manner: Manner, at: "start" | "text" | "end", aborted: boolean): boolean {
  switch (manner.frees) {
    case "always":
      return true;
    case "at the end":
      return at === "end" || aborted;
    case "unless it failed":
      return aborted || at !== "start";
    case "unless aborted early":
      return !(aborted && at === "start");
    case "unless aborted":
      return !(aborted && at === "text");
  }
}

async function* answer(request: ModelRequest, manner: Manner): AsyncGenerator<ModelEvent> {
  const inputTokens = JSON.stringify(request.messages).length / 4;
  if (inputTokens > windowTokens) throw manner.tooLarge();
  if (manner.refuses(request)) throw new ChatError("provider_rejected", "Not like that.");
  const outputTokens = manner.most(request.maxOutputTokens ?? 100);
  for (let one = 1; one <= outputTokens; one++) yield { type: "text", delta: `${one} ` };
  const input = Math.ceil(inputTokens);
  const usage: Usage = {
    ...{ inputTokens: input, outputTokens, totalTokens: input + outputTokens },
    ...{ reasoningTokens: null, cachedInputTokens: 1 },
  };
  yield { type: "finish", reason: outputTokens < 100 ? "length" : "stop", usage, continuation: null };
}
