/** Two providers over the back end of this process, made with defineProvider: one of each kind. */
import type { Model, ModelEvent, ModelRequest, Usage } from "../src/index.ts";
import { defineProvider, type SessionProvider } from "../src/provider.ts";
import type { BackEndFinish, ModelFactory, SessionProviderFactory } from "../src/testing/index.ts";
import { type BackEnd, backEnd, type Part } from "./back-end.ts";

export const secret = "zq-9Hs71kPl0Vb3";
const names = { provider: "own", modelId: "m", secrets: [secret] };

export function ownModel(server: BackEnd): Model {
  return defineProvider({
    ...names,
    supportsTools: true,
    stream: (request) => eventsOf(server.ask(bodyOf(request), request.signal)),
  });
}

export function ownSessions(server: BackEnd): SessionProvider {
  return defineProvider({
    ...names,
    openSession(state) {
      let said = (state ?? []) as readonly string[];
      return {
        async *send({ system, text, signal }) {
          const next = [...said, text];
          for await (const event of eventsOf(server.ask(JSON.stringify({ system, said: next }), signal))) {
            if (event.type === "finish") said = next;
            yield event;
          }
        },
        state: () => (said.length === 0 ? null : said),
        async close() {},
      };
    },
  });
}

/** A factory over `make`, which is given the back end. */
export function modelFactory(make: (server: BackEnd) => Model): ModelFactory {
  const open: ModelFactory["open"] = (answers) => {
    const server = backEnd(answers);
    return { ...server, provider: make(server) };
  };
  return { kind: "model", tools: true, secret, open };
}

export function sessionFactory(make: (server: BackEnd) => SessionProvider): SessionProviderFactory {
  const open: SessionProviderFactory["open"] = (answers) => {
    const server = backEnd(answers);
    const turns = async (number: number) => JSON.parse(await server.request(number)).said.length;
    return { ...server, provider: make(server), turns };
  };
  return { kind: "session", secret, open };
}

export function bodyOf({ system, messages, tools }: Pick<ModelRequest, "system" | "messages" | "tools">): string {
  return JSON.stringify({ system, messages, tools: tools.map((tool) => tool.name) });
}

export async function* eventsOf(parts: AsyncIterable<Part>): AsyncGenerator<ModelEvent> {
  for await (const part of parts) yield eventOf(part);
}

export function eventOf(part: Part): ModelEvent {
  switch (part.type) {
    case "delta":
      return { type: "text", delta: part.text };
    case "call": {
      const { toolCallId, toolName, input } = part;
      return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
    }
    case "end":
      return { type: "finish", reason: part.finish as BackEndFinish, usage: usageOf(part), continuation: null };
  }
}

function usageOf({ usage }: Extract<Part, { type: "end" }>): Usage | null {
  if (!usage) return null;
  const { input, output, cached } = usage;
  const tokens = { inputTokens: input, outputTokens: output, totalTokens: input + output };
  return { ...tokens, reasoningTokens: null, cachedInputTokens: cached };
}
