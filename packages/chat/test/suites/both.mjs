// Both suites on what the library brings, as it is published in the folder POPPET_LIBRARY, under the runner that is given.
import process from "node:process";
import { pathToFileURL } from "node:url";
import { claudeFactory } from "../claude/factory.mjs";

const folder = pathToFileURL(`${process.env.POPPET_LIBRARY}/`);
const load = (path) => import(new URL(path, folder).href);
const { describeProvider, describeTranscript, finish, say, scriptedModel } = await load("testing/index.js");
const { ChatError, memoryTranscript } = await load("index.js");
const { defineProvider } = await load("provider.js");
const { claudeLocal } = await load("claude-local/claude-local.js");

export function both(runner) {
  const memory = { make: () => memoryTranscript(), open: (transcript) => transcript };
  describeTranscript(memory, { ...runner, name: "memoryTranscript" });
  describeProvider(scripted, { ...runner, name: "scriptedModel" });
  describeProvider(live, { ...runner, name: "a model that nobody scripts" });
  describeProvider(claudeFactory(claudeLocal), { ...runner, name: "claudeLocal" });
}

const scripted = {
  kind: "model",
  tools: true,
  open(answers) {
    const model = scriptedModel(answers.map(stepOf));
    const overs = [];
    const provider = {
      ...model,
      async *stream(request) {
        const left = resolvers();
        overs.push(left);
        request.signal.addEventListener("abort", left.resolve);
        try {
          yield* model.stream(request);
        } finally {
          left.resolve();
        }
      },
    };
    return {
      provider,
      requests: () => model.requests.length,
      request: async (number) => JSON.stringify(await arrived(model, number)),
      over: async (number) => overs[number - 1].promise,
    };
  },
};

/** It counts, a number in each turn of the event loop. */
const counting = defineProvider({
  ...{ provider: "counting", modelId: "c1", supportsTools: true },
  async *stream({ messages, maxOutputTokens }) {
    if (JSON.stringify(messages).length > 1_000) throw new ChatError("context_too_large", "It does not fit.");
    for (let number = 1; number <= maxOutputTokens; number++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      yield say(`${number} `);
    }
    yield finish("length", usageOf({ usage: { input: 10, output: maxOutputTokens, cached: 0 } }));
  },
});
const live = { kind: "live", tools: true, tooLarge: "word ".repeat(300), open: () => ({ provider: counting }) };

function stepOf(answer) {
  switch (answer.type) {
    case "text":
      return [...answer.deltas.map(say), finish(answer.finish ?? "stop", usageOf(answer))];
    case "stall":
      return [...answer.deltas.map(say), "hang"];
    case "cut":
      return answer.deltas.map(say);
    case "tool-call": {
      const { toolCallId, toolName, input } = answer;
      return [{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) }, finish("tool-calls")];
    }
    case "failure": {
      const { code, says, retryAfterSeconds: seconds } = answer;
      return [
        new ChatError(code, says, { details: seconds === undefined ? {} : { retryAt: Date.now() + seconds * 1000 } }),
      ];
    }
  }
}

function usageOf({ usage }) {
  if (!usage) return null;
  const { input, output, cached } = usage;
  return { inputTokens: input, outputTokens: output, totalTokens: input + output, cachedInputTokens: cached };
}

async function arrived(model, number) {
  while (model.requests.length < number) await new Promise((resolve) => setTimeout(resolve, 1));
  const { signal: _, ...request } = model.requests[number - 1];
  return request;
}

/** Node 20 has no Promise.withResolvers. */
function resolvers() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
