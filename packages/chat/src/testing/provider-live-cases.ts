/** What a model must do whose answers nobody can script: the part of the contract that holds for any answer. */
import type { AssistantMessage, Message } from "../messages.ts";
import type { ModelEvent } from "../model.ts";
import { wireName } from "../tools.ts";
import { equal, isTrue, within } from "./expectations.ts";
import { ask, begin, chatError, type Question, read, readWhole } from "./provider-asking.ts";
import { countsAddUp, isOneLine, onlyFinish } from "./provider-checks.ts";
import type { LiveModelFactory } from "./provider-factory.ts";
import { type KindCase, look } from "./provider-kind-cases.ts";

interface Live {
  /** The factory's question, within its bound. */
  ask(more?: Question): AsyncIterable<ModelEvent>;
  /** It must be answered: after what came before, too. */
  answer(more?: Question): Promise<void>;
  readonly most: number;
  readonly ms: number;
}

export function liveCases({ tools, tooLarge }: LiveModelFactory): readonly KindCase<LiveModelFactory>[] {
  return [
    ...answering,
    ...ending,
    ...conversations,
    ...(tools ? withTools : []),
    ...(tooLarge === undefined ? [] : [tooLargeCase(tooLarge)]),
  ];
}

const answering = [
  live("an answer is text, then one finish", async (one) => {
    const answer = await readWhole(one.ask(), one.ms);
    isTrue(answer.text !== "", "there is no text");
    onlyFinish(answer);
  }),
  live("usage is in tokens that add up, the cached ones within the input", async (one) => {
    countsAddUp(onlyFinish(await readWhole(one.ask(), one.ms)));
  }),
  live("text comes in pieces, as it is generated, not at the end", async (one) => {
    let pieces = 0;
    let turned = false;
    const reading = (async () => {
      for await (const event of one.ask()) {
        if (event.type !== "text") continue;
        pieces++;
        // What was gathered before is read without the event loop's turning once.
        if (pieces === 1) setTimeout(() => (turned = true), 0);
      }
    })();
    await within(one.ms, "the answer's end", reading);
    isTrue(pieces > 1, `the text came in ${pieces} piece(s)`);
    isTrue(turned, "the whole text was there at its first piece");
  }),
  live("no answer is longer than maxOutputTokens, and the finish says length", async (one) => {
    const { reason, usage } = onlyFinish(await readWhole(one.ask(), one.ms));
    equal(reason, "length");
    const output = usage?.outputTokens ?? 0;
    isTrue(output <= one.most, `${output} tokens came, ${one.most} were allowed`);
  }),
  live("two requests at once are both answered", async (one) => {
    await Promise.all([one.answer(), one.answer()]);
  }),
];

const ending = [
  live("an abort before the first event ends it at once; the next request is answered", async (one) => {
    const controller = new AbortController();
    const next = begin(one.ask({ signal: controller.signal }), one.ms).next();
    controller.abort();
    equal(await within(one.ms, "the end of the reading", next), false);
    await one.answer();
  }),
  live("an abort within the answer ends it at once; the next request is answered", async (one) => {
    const controller = new AbortController();
    const reading = begin(one.ask({ signal: controller.signal }), one.ms);
    await reading.untilText();
    controller.abort();
    equal(await within(one.ms, "the end of the reading", reading.next()), false);
    await one.answer();
  }),
  live("what is aborted already gives nothing", async (one) => {
    equal((await read(one.ask({ signal: AbortSignal.abort() }), one.ms)).events, []);
  }),
  live("a reader that leaves makes room for the next request", async (one) => {
    const reading = begin(one.ask(), one.ms);
    await reading.untilText();
    await reading.leave();
    await one.answer();
  }),
];

/** As a turn keeps it of a model that has been left since, with that one's private record. */
const said: AssistantMessage = {
  ...{ role: "assistant", text: "A stone.", reasoning: "It is grey.", provider: "suite", model: "another" },
  ...{ toolCalls: [], continuation: { signed: "by another" }, measured: null },
};

const conversations = [
  live("a conversation goes on from what another provider answered", async (one) => {
    await one.answer({ more: [said, { role: "user", text: "And what else?" }] });
  }),
];

const looked: readonly Message[] = [
  { ...said, text: "", toolCalls: [{ toolCallId: "call_1", toolName: look.name, input: { at: "the moon" } }] },
  {
    role: "tool",
    results: [{ toolCallId: "call_1", toolName: look.name, state: "completed", output: "a face in the moon" }],
  },
];

const withTools = [
  live("a request with tools is answered; a call has an ID and its tool's own name", async (one) => {
    const answer = await readWhole(one.ask({ text: "Look at the moon.", tools: [look] }), one.ms);
    const { reason } = onlyFinish(answer);
    const calls = answer.events.flatMap((event) => (event.type === "tool-call" ? [event] : []));
    // A model may name a tool that there is not, or write what is no JSON: the turn's to judge, not the provider's.
    for (const { toolCallId, toolName } of calls) {
      isTrue(toolCallId !== "", "a call has no ID");
      isTrue(toolName !== wireName(look.name), "a call has the name that the tool has on the wire");
    }
    equal(new Set(calls.map((call) => call.toolCallId)).size, calls.length);
    isTrue(reason !== "tool-calls" || calls.length > 0, "it ended with tool calls and there is none");
  }),
  live("a conversation with a tool's result in it is answered", async (one) => {
    await one.answer({ tools: [look], more: looked });
  }),
];

function tooLargeCase(text: string): KindCase<LiveModelFactory> {
  return live("what is too large fails by its kind, in one line; the next request is answered", async (one) => {
    const { events, thrown } = await read(one.ask({ text }), one.ms);
    const error = chatError(thrown);
    equal([error.code, events], ["context_too_large", []]);
    isOneLine(error);
    await one.answer();
  });
}

function live(name: string, play: (one: Live) => Promise<void>): KindCase<LiveModelFactory> {
  return {
    name,
    async run({ open, question = "Count from one to one hundred, in words.", maxOutputTokens: most = 24 }, ms) {
      const { provider, close } = await open();
      const asked = (more?: Question) => ask(provider, { text: question, maxOutputTokens: most, ...more });
      const answer = async (more?: Question) => void onlyFinish(await readWhole(asked(more), ms));
      try {
        await play({ ask: asked, answer, most, ms });
      } finally {
        await close?.();
      }
    },
  };
}
