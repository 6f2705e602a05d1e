/** A client over a scripted model, with a model whose answers wait until they are let go. */
import {
  ChatError,
  type ChatOptions,
  createChat,
  type Message,
  memoryTranscript,
  type StandardSchema,
  type Tool,
} from "../src/index.ts";
import { type ScriptedModel, type ScriptedStep, scriptedModel } from "../src/testing/index.ts";

export function scriptedChat(script: readonly ScriptedStep[], options: Partial<ChatOptions> = {}) {
  const model = scriptedModel(script);
  const transcript = options.transcript ?? memoryTranscript();
  return { model, transcript, client: createChat({ model, transcript, ...options }) };
}

export interface HeldModel extends ScriptedModel {
  /** Resolves once so many requests have come. */
  asked(count: number): Promise<void>;
  /** Lets the oldest waiting answer go. */
  release(): void;
}

/** Holds each answer until it is released; an abort ends it. */
export function heldModel(script: readonly ScriptedStep[]): HeldModel {
  const model = scriptedModel(script);
  const waiting: (() => void)[] = [];
  const watchers: (() => void)[] = [];
  return {
    ...model,
    async *stream(request) {
      const events = model.stream(request)[Symbol.asyncIterator]();
      // The scripted model notes the request at its first event.
      const first = events.next();
      await first.catch(() => {});
      for (const watch of watchers) watch();
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
      });
      for (let next = await first; !next.done; next = await events.next()) yield next.value;
    },
    asked: (count) =>
      new Promise((resolve) => {
        const look = () => model.requests.length >= count && resolve();
        watchers.push(look);
        look();
      }),
    release: () => waiting.shift()?.(),
  };
}

export function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => (message.role === "tool" ? "[tool]" : message.text));
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "nothing thrown",
    (thrown) => (ChatError.isInstance(thrown) ? thrown.code : `not a ChatError: ${thrown}`),
  );
}

/** A tool that takes anything. */
export function anyTool(run: Tool["run"] = async () => 1): Tool {
  const input: StandardSchema = { "~standard": { version: 1, vendor: "t", validate: (value) => ({ value }) } };
  return { name: "t", description: "", input, inputJsonSchema: {}, onFailure: "tell-model", run };
}
