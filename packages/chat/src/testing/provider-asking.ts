/** How the cases of a provider ask it, whichever kind it is, and what they read. */
import { ChatError } from "../errors.ts";
import type { AssistantMessage, Message } from "../messages.ts";
import type { Model, ModelEvent } from "../model.ts";
import type { ProviderSession, SessionProvider } from "../session.ts";
import type { Tool } from "../tools.ts";
import { isTrue, within } from "./expectations.ts";

export interface Question {
  readonly text?: string;
  readonly signal?: AbortSignal;
  readonly tools?: readonly Tool[];
  /** What comes after the text. */
  readonly more?: readonly Message[];
  readonly maxOutputTokens?: number;
}

export const instructions = "Answer as the suite says.";
const silence = new AbortController().signal;

export function ask(provider: Model | SessionProvider, question: Question = {}): AsyncIterable<ModelEvent> {
  if ("openSession" in provider) return send(provider.openSession(null), question);
  const { text = "Hello?", signal = silence, tools = [], more = [], maxOutputTokens } = question;
  const messages: readonly Message[] = [{ role: "user", text }, ...more];
  return provider.stream({ system: instructions, messages, tools, signal, maxOutputTokens });
}

export function send(session: ProviderSession, question: Question = {}): AsyncIterable<ModelEvent> {
  const { text = "Hello?", signal = silence } = question;
  return session.send({ system: instructions, text, signal });
}

export interface Read {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly thrown: unknown;
}

/** Reads to the end, or to what is thrown. */
export async function read(events: AsyncIterable<ModelEvent>, patience: number): Promise<Read> {
  const seen: ModelEvent[] = [];
  let thrown: unknown = null;
  const reading = (async () => {
    for await (const event of events) seen.push(event);
  })();
  await within(patience, "the answer's end", reading).catch((error: unknown) => {
    thrown = error;
  });
  return { events: seen, text: textOf(seen), thrown };
}

/** The same, of an answer that must not fail. */
export async function readWhole(events: AsyncIterable<ModelEvent>, patience: number): Promise<Read> {
  const answer = await read(events, patience);
  if (answer.thrown !== null) throw answer.thrown;
  return answer;
}

export interface Reading {
  /** Reads until so much text has come. */
  until(text: string): Promise<void>;
  /** Reads until some text has come. */
  untilText(): Promise<void>;
  /** The next event is asked for; the promise says whether there is one, and takes a throw for none. */
  next(): Promise<boolean>;
  leave(): Promise<void>;
}

/** For an answer that is not read to its end. */
export function begin(events: AsyncIterable<ModelEvent>, patience: number): Reading {
  const iterator = events[Symbol.asyncIterator]();
  let text = "";
  return {
    async until(expected) {
      while (text !== expected) {
        const next = await within(patience, `the text ${JSON.stringify(expected)}`, iterator.next());
        isTrue(!next.done, `the answer ended at ${JSON.stringify(text)}`);
        text += textOf([next.value]);
        isTrue(expected.startsWith(text), `expected ${JSON.stringify(expected)}, got ${JSON.stringify(text)}`);
      }
    },
    async untilText() {
      while (text === "") {
        const next = await within(patience, "some text", iterator.next());
        isTrue(!next.done, "the answer ended without text");
        text += textOf([next.value]);
      }
    },
    next: () =>
      iterator.next().then(
        ({ done }) => !done,
        () => false,
      ),
    leave: async () => void (await within(patience, "the leaving", Promise.resolve(iterator.return?.()))),
  };
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.delta : "")).join("");
}

export function finishOf({ events }: Read): ModelEvent & { readonly type: "finish" } {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error(`the last event is ${JSON.stringify(last)}, not a finish`);
  return last;
}

export function chatError(thrown: unknown): ChatError {
  if (ChatError.isInstance(thrown)) return thrown;
  throw new Error(thrown === null ? "expected a ChatError, nothing was thrown" : `not a ChatError: ${thrown}`);
}

/** The message with a tool call that a turn would send back. */
export function calling(model: Model, answer: Read): AssistantMessage {
  const calls = answer.events.flatMap((event) => (event.type === "tool-call" ? [event] : []));
  return {
    ...{ role: "assistant", text: answer.text, reasoning: "", provider: model.provider, model: model.modelId },
    toolCalls: calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: JSON.parse(input) })),
    continuation: finishOf(answer).continuation,
    measured: null,
  };
}
