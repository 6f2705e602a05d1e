/**
 * What holds of one client whatever is done to it at once: turns, additions, commands, aborts and failures in any
 * interleaving, over a model whose answers come when the plan says so.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  ChatError,
  type ChatOptions,
  type CommandOutcome,
  clearCommand,
  commandSet,
  compact,
  compactCommand,
  createChat,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  memoryTranscript,
  runCommand,
  type StandardSchema,
  type Tip,
  type Transcript,
  undoCommand,
} from "./index.ts";
import { summaryPrompt } from "./policies/summary.ts";
import { call, finish, say, scriptedModel } from "./testing/index.ts";
// Loaded beforehand: a client loads them when they are first needed, which takes as long as a disk does.
import "./ask.ts";
import "./check-snapshot.ts";
import "./policies/compaction.ts";

type Ending = "answer" | "tool" | "fail" | "cut" | "empty" | "long";
type Step = { readonly ticks: number } & (
  | { readonly type: "chat" | "leave" | "ask" | "add" | "cached" | "undo" | "clear" | "compact" | "restore" }
  | { readonly type: "release"; readonly pick: number; readonly ending: Ending }
  | { readonly type: "abort"; readonly pick: number }
);

const ticks = fc.oneof(fc.nat(8), fc.constant(60));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("release" as const),
      pick: fc.nat(3),
      ending: fc.constantFrom<Ending>("answer", "answer", "answer", "tool", "fail", "cut", "empty", "long"),
      ticks,
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("chat" as const), ticks }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("add", "cached", "undo", "clear", "compact"), ticks }) },
  fc.record({ type: fc.constantFrom("leave", "ask", "restore"), ticks }),
  fc.record({ type: fc.constant("abort" as const), pick: fc.nat(3), ticks }),
);
const plans = fc.record({
  steps: fc.array(step, { maxLength: 24, size: "max" }),
  automatic: fc.boolean(),
  begun: fc.boolean(),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

/** Lets others go on: so many of their steps, or, from 60 on, a turn of the event loop, in which parts can be loaded too. */
async function tick(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
  if (count >= 60) await new Promise((resolve) => setImmediate(resolve));
}

/** Orders what happens: the number of an event. */
let events = 0;

const endings: Record<Ending, readonly (ModelEvent | Error)[]> = {
  answer: [say("an answer in a few words"), finish("stop", null)],
  tool: [call("t", { a: 1 }, ""), call("t", { a: 2 }, ""), finish("tool-calls")],
  fail: [new ChatError("provider_overloaded", "busy")],
  cut: [say("half an ans")],
  empty: [say(" "), finish()],
  long: [say("long ".repeat(200)), finish()],
};

/** Each request waits until the plan releases it. */
function waitingModel() {
  const requests: (ModelRequest & { readonly at: number })[] = [];
  const waiting: ((ending: Ending) => void)[] = [];
  let turns = 0;
  let overlaps = 0;
  const model: Model = {
    provider: "waiting",
    modelId: "w",
    supportsTools: true,
    async *stream(request) {
      requests.push({ ...request, at: events++ });
      // One turn at a time; a summary is written beside it.
      if (request.system !== summaryPrompt) {
        if (turns++ > 0) overlaps++;
      }
      const ending = await new Promise<Ending>((resolve, reject) => {
        waiting.push(resolve);
        request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
      }).finally(() => {
        if (request.system !== summaryPrompt) turns--;
      });
      for (const item of endings[ending]) {
        if (item instanceof Error) throw item;
        yield item;
      }
    },
  };
  const release = (pick: number, ending: Ending) => waiting.splice(pick % Math.max(1, waiting.length), 1)[0]?.(ending);
  return { model, requests, release, overlaps: () => overlaps };
}

interface Commit {
  readonly at: number;
  readonly appended: boolean;
  readonly content: readonly { readonly role: string; readonly text?: string }[];
}

/** Notes each commit, and holds that nothing is cut where it must not be. */
function watched(transcript: Transcript) {
  const commits: Commit[] = [];
  let summaries = 0;
  const path = async (from: Tip) => Array.fromAsync(transcript.back(from));
  const watching: Transcript = {
    ...transcript,
    async commit(change) {
      const before = await path(change.expected);
      const tip = await transcript.commit(change);
      commits.push({ at: events++, appended: change.parent === change.expected, content: change.content });
      if (change.parent !== change.expected) {
        // Only an undo goes back: by one whole exchange, never past a clear.
        expect(change.content).toEqual([]);
        const dropped = before.slice(0, before.length - (await path(change.parent)).length);
        expect(new Set(dropped.map((entry) => entry.exchange)).size).toBe(1);
        expect(dropped.some((entry) => entry.content.role === "clear")).toBe(false);
        expect(before[dropped.length]?.exchange).not.toBe(dropped[0]?.exchange);
      }
      return tip;
    },
    async summarize(through, text) {
      const at = (await path(await transcript.tip())).reverse();
      const index = at.findIndex((entry) => entry.id === through);
      if (at[index]?.content.role !== "clear") {
        summaries++;
        expect(at[index + 1]?.exchange).not.toBe(at[index]?.exchange);
        expect(at.slice(index + 1).length).toBeGreaterThan(0);
      }
      await transcript.summarize(through, text);
    },
  };
  return { transcript: watching, commits, summaries: () => summaries };
}

/** What every provider takes: something said in each message, each call answered at once, the person's turn last. */
function checkAcceptable(messages: readonly Message[]): void {
  expect(messages[0]?.role).toBe("user");
  expect(messages.at(-1)?.role).not.toBe("assistant");
  for (const [i, message] of messages.entries()) {
    if (message.role === "user") expect(message.text.trim() !== "" || (message.sources ?? []).length > 0).toBe(true);
    if (message.role === "assistant") {
      expect(message.text.trim() !== "" || message.toolCalls.length > 0).toBe(true);
      expect(messages[i + 1]?.role === "tool").toBe(message.toolCalls.length > 0);
    }
    if (message.role !== "tool") continue;
    const asked = messages[i - 1];
    const ids = message.results.map((result) => result.toolCallId);
    expect(asked?.role === "assistant" && asked.toolCalls.map((one) => one.toolCallId)).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  }
}

const anything: StandardSchema = { "~standard": { version: 1, vendor: "t", validate: (value) => ({ value }) } };
const tool = {
  ...{ name: "t", description: "", input: anything, inputJsonSchema: {}, onFailure: "tell-model" as const },
  run: async () => "result",
} as const;
const commands = commandSet([undoCommand(), clearCommand(), compactCommand()]);

interface Op {
  readonly text: string;
  readonly type: Step["type"];
  /** Commits before it began. */
  readonly from: number;
  readonly startedAt: number;
  readonly controller: AbortController;
  end: { readonly at: number; readonly commits: number; readonly result: unknown; readonly error: unknown } | null;
}

async function play({ steps, automatic, begun }: Plan) {
  const { model, requests, release, overlaps } = waitingModel();
  const { transcript, commits, summaries } = watched(memoryTranscript());
  const policy = compact({ keep: 1, at: automatic ? 60 : Infinity });
  const options: ChatOptions = { model, transcript, tools: [tool], policy };
  const client = createChat(options);
  const ops: Op[] = [];
  for (const n of begun ? [1, 2, 3] : []) await client.add(`before ${n}, with some words to shorten`);
  let saved = await client.snapshot();

  function start(type: Step["type"], work: (text: string, signal: AbortSignal) => Promise<unknown>): void {
    const op: Op = {
      type,
      text: `text ${ops.length}`,
      from: commits.length,
      startedAt: events++,
      controller: new AbortController(),
      end: null,
    };
    ops.push(op);
    work(op.text, op.controller.signal).then(
      (result) => {
        op.end = { at: events++, commits: commits.length, result, error: null };
      },
      (error: unknown) => {
        op.end = { at: events++, commits: commits.length, result: null, error };
      },
    );
  }

  for (const one of steps) {
    switch (one.type) {
      case "chat":
        start("chat", (text, signal) => client.chat(text, { signal }));
        break;
      case "leave":
        start("leave", async (text, signal) => {
          for await (const event of client.stream(text, { signal })) if (event.type === "step-start") break;
        });
        break;
      case "ask":
        start("ask", (text, signal) => client.ask(text, anything, { signal, jsonSchema: { type: "object" } }));
        break;
      case "add":
        start("add", (text, signal) => client.add(text, { signal }));
        break;
      case "cached":
        start("add", (text, signal) => client.addCached(text, { signal }));
        break;
      case "restore":
        start("restore", (_, signal) => client.restore(saved, { signal }));
        saved = await client.snapshot();
        break;
      case "release":
        release(one.pick, one.ending);
        break;
      case "abort":
        ops.at(-1 - one.pick)?.controller.abort();
        break;
      default:
        start(one.type, (_, signal) => runCommand(client, commands, `/${one.type}`, { signal }));
    }
    await tick(one.ticks);
  }
  for (let round = 0; ops.some((op) => op.end === null); round++) {
    if (round > 500) throw new Error(`never ended: ${JSON.stringify(ops.filter((op) => op.end === null))}`);
    release(0, "answer");
    await tick(60);
  }
  return { client, options, ops, commits, summaries: summaries(), requests, overlaps: overlaps() };
}

/** What was asked before a clear is not there after it. */
function checkClears(
  ops: readonly Op[],
  commits: readonly Commit[],
  requests: readonly (ModelRequest & { readonly at: number })[],
) {
  for (const { type, text } of ops) {
    const asked = requests.find((one) =>
      one.messages.some((message) => message.role === "user" && message.text === text),
    );
    const kept = commits.find((commit) => commit.content.some((one) => one.text === text));
    if (type !== "chat" || !asked || !kept) continue;
    const between = ops.filter(
      (op) => op.type === "clear" && op.startedAt > asked.at && op.end?.error === null && op.end.at < kept.at,
    );
    expect(between).toEqual([]);
  }
}

function checkNothingLost(ops: readonly Op[], commits: readonly Commit[]): void {
  const places = (text: string, from: number, to: number) =>
    commits.flatMap((commit, i) => (i >= from && i < to && commit.content.some((one) => one.text === text) ? [i] : []));
  for (const { type, text, from, end } of ops) {
    const result = end?.result as { kept?: boolean } | null | undefined;
    const written = places(text, from, end?.commits ?? 0).length;
    if (type === "add") expect(written).toBe(end?.error === null ? 1 : 0);
    if (type === "leave") expect(written).toBe(0);
    if (type !== "chat") continue;
    if (end?.error !== null) expect(written).toBe(0);
    else if (result?.kept) expect(written).toBe(1);
    else {
      expect(written).toBe(0);
      const between = commits.slice(from, end.commits).flatMap((commit) => commit.content.map((one) => one.role));
      expect(between).toContain("clear");
    }
  }
  for (const commit of commits) if (commit.content.length > 0) expect(commit.appended).toBe(true);
}

test("L5 L6 laws of one client: acceptable requests, no text lost, no stale edit, the same after a restore", async () => {
  const seen = { completed: 0, failed: 0, undone: 0, compacted: 0, tryAgain: 0, notKept: 0, automatic: 0, tools: 0 };
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { client, options, ops, commits, summaries, requests, overlaps } = await play(plan);
      expect(overlaps).toBe(0);
      for (const request of requests) {
        checkAcceptable(request.messages);
        if (request.messages.some((message) => message.role === "tool")) seen.tools++;
      }
      checkNothingLost(ops, commits);
      checkClears(ops, commits, requests);

      const outcomes = (type: Step["type"]) =>
        ops.flatMap((op) =>
          op.type === type && op.end?.result ? [op.end.result as CommandOutcome & { handled: true }] : [],
        );
      const compacted = outcomes("compact").filter((one) => one.changed).length;
      const automatic = requests.filter((request) => request.system === summaryPrompt).length > 0 && plan.automatic;
      if (!plan.automatic) expect(summaries).toBe(compacted);
      else expect(summaries).toBeGreaterThanOrEqual(compacted);
      for (const { end } of ops) {
        // Commands say it, and a turn never ends so.
        expect(ChatError.isInstance(end?.error) && end.error.code === "transcript_moved").toBe(false);
      }
      const undone = outcomes("undo").filter((one) => one.changed).length;
      expect(commits.filter((commit) => !commit.appended).length).toBe(undone);

      const model = scriptedModel(["x"]);
      const copy = createChat({ ...options, model, transcript: memoryTranscript(), policy: compact({ at: Infinity }) });
      await copy.restore(JSON.parse(JSON.stringify(await client.snapshot())));
      const original = scriptedModel(["x"]);
      const { transcript } = options;
      await createChat({
        ...options,
        model: original,
        ...(transcript && { transcript }),
        policy: compact({ at: Infinity }),
      }).chat("probe");
      await copy.chat("probe");
      expect(JSON.stringify(model.requests[0]?.messages)).toBe(JSON.stringify(original.requests[0]?.messages));

      seen.completed += ops.filter((op) => op.type === "chat" && op.end?.error === null).length;
      seen.failed += ops.filter((op) => op.type === "chat" && op.end?.error !== null).length;
      seen.notKept += ops.filter((op) => (op.end?.result as { kept?: boolean } | null)?.kept === false).length;
      seen.tryAgain += [...outcomes("compact"), ...outcomes("undo")].filter((one) =>
        one.text.includes("Try again"),
      ).length;
      seen.undone += undone;
      seen.compacted += compacted;
      seen.automatic += automatic ? 1 : 0;
    }),
    { numRuns: 800 },
  );
  // The plans reach everything often enough for the laws to mean something.
  for (const [what, count] of Object.entries(seen)) expect([what, count > 5]).toEqual([what, true]);
}, 60_000);
