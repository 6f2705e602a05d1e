import { describe, expect, test } from "bun:test";
import { createChat } from "./create-chat.ts";
import { ChatError } from "./errors.ts";
import { call, finish, say, scriptedModel } from "./testing/index.ts";
import { defineTool, type StandardSchema } from "./tools.ts";
import { memoryTranscript, type Transcript } from "./transcript.ts";

const anything: StandardSchema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const reason = new ChatError("aborted", "Enough.");

/** A turn of two steps with a tool between, on a transcript that takes its time; `seen` is what was begun, in order. */
function chatOfTwoSteps(signal: AbortSignal) {
  const seen: string[] = [];
  const begun = (what: string) => seen.push(signal.aborted ? `${what}, aborted` : what);
  const model = scriptedModel([
    () => {
      begun("first request");
      return [call("look", {}), finish("tool-calls")];
    },
    () => {
      begun("second request");
      return [say("It "), say("is."), finish()];
    },
  ]);
  const look = defineTool({
    ...{ name: "look", description: "Looks.", input: anything, inputJsonSchema: {} },
    async run() {
      begun("tool");
      await null;
      return "seen";
    },
  });
  const transcript = memoryTranscript();
  const tip = async () => {
    await null;
    return transcript.tip();
  };
  const slow: Transcript = { ...transcript, tip };
  return { seen, client: createChat({ model, tools: [look], transcript: slow }) };
}

/** How a call went that was aborted after so many turns of the microtask queue; null: it was over by then. */
async function abortedAfter(ticks: number, way: "chat" | "stream") {
  const controller = new AbortController();
  const { signal } = controller;
  const { seen, client } = chatOfTwoSteps(signal);
  let settled = false;
  const started = way === "chat" ? client.chat("hello", { signal }) : readAll(client.stream("hello", { signal }));
  const outcome = started.then(
    () => "answered" as const,
    (thrown: unknown) => thrown,
  );
  outcome.then(() => {
    settled = true;
  });
  for (let tick = 0; tick < ticks; tick++) await null;
  const wasOver = settled;
  controller.abort(reason);
  const end = await outcome;
  for (let tick = 0; tick < 100; tick++) await null;
  const begunLate = seen.filter((what) => what.endsWith("aborted"));
  const next = await client.chat("and then?");
  return { wasOver, end, begunLate, exchanges: (await client.editor?.read())?.exchanges.length, next: next.text };
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

describe("C12 an abort at any moment of a call", () => {
  for (const way of ["chat", "stream"] as const) {
    test(`${way}: nothing is begun after it, all of it is kept or nothing, and the next call is as any other`, async () => {
      let moments = 0;
      for (let ticks = 0; ; ticks++) {
        const { wasOver, end, begunLate, exchanges, next } = await abortedAfter(ticks, way);
        expect([ticks, begunLate]).toEqual([ticks, []]);
        expect([ticks, end === "answered" || end === reason]).toEqual([ticks, true]);
        expect([ticks, exchanges, next]).toEqual([ticks, end === "answered" ? 2 : 1, "It is."]);
        if (wasOver) break;
        moments++;
      }
      expect(moments).toBeGreaterThan(20);
    });
  }
});
