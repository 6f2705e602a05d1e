/** What every Transcript must do, case by case: each takes an empty transcript and throws where it misbehaves. */
import { readContext } from "../context.ts";
import { TranscriptEntryError, TranscriptMovedError } from "../errors.ts";
import type { AssistantMessage, Message } from "../messages.ts";
import type { Entry, EntryContent, Tip, Transcript } from "../transcript.ts";
import { collect, equal, throws } from "./expectations.ts";

/** One promise of a Transcript. `run` takes an empty one and throws where it is broken. */
export interface TranscriptCase {
  readonly name: string;
  run(transcript: Transcript): Promise<void>;
}

/** Every promise of a Transcript, one case each. */
export const transcriptCases: readonly TranscriptCase[] = [
  {
    name: "an empty transcript has no tip and nothing behind it",
    async run(transcript) {
      equal(await transcript.tip(), null);
      equal(await entries(transcript, null), []);
    },
  },
  {
    name: "a commit appends its entries in order and moves the tip to the last",
    async run(transcript) {
      const tip = await append(transcript, "a", exchange("one"));
      equal(await transcript.tip(), tip);
      const [answer, question, ...rest] = await entries(transcript, tip);
      equal(rest, []);
      equal([question?.content, answer?.content], exchange("one"));
      equal([question?.parentId, answer?.parentId, answer?.id], [null, question?.id, tip]);
      equal([question?.exchange, answer?.exchange], ["a", "a"]);
    },
  },
  {
    name: "content comes back as it went in: tool calls, results, continuation data, sources, any text",
    async run(transcript) {
      const content: Message[] = [
        { role: "user", text: "\u0000 \u{1F469}‍\u{1F680} é ﷽", sources: [{ label: "a.txt", text: "x" }] },
        {
          ...assistant(""),
          toolCalls: [{ toolCallId: "1", toolName: "a.b", input: { deep: [1, null, { x: "y" }] } }],
          continuation: [{ type: "reasoning", signature: "s" }],
          measured: { tokens: 12, bytes: 34 },
        },
        { role: "tool", results: [{ toolCallId: "1", toolName: "a.b", state: "failed", output: { error: "no" } }] },
        assistant("done"),
      ];
      const tip = await append(transcript, "a", content);
      equal(
        (await entries(transcript, tip)).reverse().map((entry) => entry.content),
        content,
      );
    },
  },
  {
    name: "a commit on a tip that has moved is refused and changes nothing",
    async run(transcript) {
      const first = await append(transcript, "a", exchange("one"));
      const second = await append(transcript, "b", exchange("two"));
      const before = await entries(transcript, second);
      for (const expected of [null, first]) {
        await throws(TranscriptMovedError, () =>
          transcript.commit({ expected, parent: expected, exchange: "c", content: exchange("lost") }),
        );
      }
      equal(await transcript.tip(), second);
      equal(await entries(transcript, second), before);
    },
  },
  {
    name: "of two commits on one tip exactly one is taken",
    async run(transcript) {
      const tip = await append(transcript, "a", exchange("one"));
      const both = await Promise.allSettled(
        ["b", "c"].map((id) => transcript.commit({ expected: tip, parent: tip, exchange: id, content: exchange(id) })),
      );
      equal(both.map((one) => one.status).sort(), ["fulfilled", "rejected"]);
      equal((await entries(transcript, await transcript.tip())).length, 4);
    },
  },
  {
    name: "a commit on an older entry takes back what came after it, and leaves it readable",
    async run(transcript) {
      const first = await append(transcript, "a", exchange("one"));
      const second = await append(transcript, "b", exchange("two"));
      const third = await transcript.commit({
        expected: second,
        parent: first,
        exchange: "c",
        content: exchange("three"),
      });
      equal(texts(await entries(transcript, third)), ["three!", "three", "one!", "one"]);
      equal(texts(await entries(transcript, second)), ["two!", "two", "one!", "one"]);
    },
  },
  {
    name: "a commit without content only moves the tip",
    async run(transcript) {
      const first = await append(transcript, "a", exchange("one"));
      const second = await append(transcript, "b", exchange("two"));
      equal(await transcript.commit({ expected: second, parent: first, exchange: "c", content: [] }), first);
      equal(await transcript.tip(), first);
      equal(await transcript.commit({ expected: first, parent: null, exchange: "d", content: [] }), null);
      equal(await transcript.tip(), null);
    },
  },
  {
    name: "a clear is an entry like any other",
    async run(transcript) {
      await append(transcript, "a", exchange("one"));
      const tip = await append(transcript, "b", [{ role: "clear" }]);
      const [newest, ...rest] = await entries(transcript, tip);
      equal(newest?.content, { role: "clear" });
      equal(rest.length, 2);
    },
  },
  {
    name: "a summary stands beside its entry and moves nothing; a later one takes its place",
    async run(transcript) {
      const first = present(await append(transcript, "a", exchange("one")));
      const tip = await append(transcript, "b", exchange("two"));
      await transcript.summarize(first, "old");
      await transcript.summarize(first, "new\u0000 \u{1F680}");
      equal(await transcript.tip(), tip);
      equal(
        (await entries(transcript, tip)).map((entry) => entry.summary),
        [null, null, "new\u0000 \u{1F680}", null],
      );
    },
  },
  {
    name: "what a model sees ends at the nearest summary, and a summary may stand beside a clear",
    async run(transcript) {
      await append(transcript, "a", exchange("one"));
      const clear = present(await append(transcript, "b", [{ role: "clear" }]));
      await append(transcript, "c", exchange("two"));
      const middle = present(await append(transcript, "d", exchange("three")));
      const tip = await append(transcript, "e", exchange("four"));
      const seen = async (from: Tip) => {
        const { summary, exchanges } = await readContext(transcript, from, { exchanges: 100, bytes: 1e9 });
        return [summary, exchanges.flatMap((one) => one.messages.flatMap((m) => (m.role === "user" ? [m.text] : [])))];
      };
      equal(await seen(tip), [null, ["two", "three", "four"]]);
      await transcript.summarize(clear, "from elsewhere");
      equal(await seen(tip), ["from elsewhere", ["two", "three", "four"]]);
      await transcript.summarize(middle, "so far");
      equal(await seen(tip), ["so far", ["four"]]);
      equal(await seen(middle), ["so far", []]);
      const before = await transcript.commit({
        expected: tip,
        parent: clear,
        exchange: "f",
        content: exchange("five"),
      });
      equal(await seen(before), ["from elsewhere", ["five"]]);
    },
  },
  {
    name: "an unknown entry is an error, and nothing is written",
    async run(transcript) {
      const tip = await append(transcript, "a", exchange("one"));
      await throws(TranscriptEntryError, () => entries(transcript, "no-such-entry"));
      await throws(TranscriptEntryError, () => transcript.summarize("no-such-entry", "x"));
      await throws(TranscriptEntryError, () =>
        transcript.commit({ expected: tip, parent: "no-such-entry", exchange: "b", content: exchange("two") }),
      );
      equal(await transcript.tip(), tip);
    },
  },
  {
    name: "a reader that stops early, or reads while others append, sees a consistent path",
    async run(transcript) {
      let tip: Tip = null;
      for (let n = 0; n < 100; n++) tip = await append(transcript, `e${n}`, exchange(String(n)));
      const seen: Entry[] = [];
      for await (const entry of transcript.back(tip)) {
        seen.push(entry);
        if (seen.length === 3) await append(transcript, "late", exchange("late"));
        if (seen.length === 150) break;
      }
      equal(texts(seen.slice(0, 4)), ["99!", "99", "98!", "98"]);
      equal(new Set(seen.map((entry) => entry.id)).size, 150);
    },
  },
];

function exchange(text: string): Message[] {
  return [{ role: "user", text }, assistant(`${text}!`)];
}

function assistant(text: string): AssistantMessage {
  return {
    role: "assistant",
    text,
    reasoning: "",
    toolCalls: [],
    provider: "p",
    model: "m",
    continuation: null,
    measured: null,
  };
}

async function append(transcript: Transcript, exchangeId: string, content: readonly EntryContent[]): Promise<Tip> {
  const tip = await transcript.tip();
  return transcript.commit({ expected: tip, parent: tip, exchange: exchangeId, content });
}

async function entries(transcript: Transcript, from: Tip): Promise<Entry[]> {
  return collect(transcript.back(from));
}

function texts(list: readonly Entry[]): string[] {
  return list.map((entry) => ("text" in entry.content ? entry.content.text : ""));
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error("expected a value, got null");
  return value;
}
