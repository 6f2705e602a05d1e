/** A turn with two tool calls, cancelled at each of its events and in each of its waits, over every protocol. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { ChatError, type Json, type Tool } from "@poppet/chat";
import type { RunEvent } from "../../src/assistant.ts";
import { ask } from "../assistant.ts";
import type { Reply } from "../model-server/index.ts";
import { providers, weatherTool } from "../providers/setup.ts";
import { bodies, type Choice, endings, expectAccepted, openRig, type Rig, weatherCall } from "./setup.ts";

// Many run side by side, on machines with much else to do.
setDefaultTimeout(60_000);

const stopped = new ChatError("aborted", "Stopped by the test.");
const interruption = { code: "aborted", message: "Stopped by the test." };
const asks: Reply = {
  parts: [
    { type: "reasoning", text: ["Look ", "it up."] },
    { type: "text", text: ["Loo", "king."] },
    weatherCall("call_1", "Rome"),
    weatherCall("call_2", "Oslo"),
  ],
};
const answers: Reply = {
  parts: [
    { type: "reasoning", text: "Now I know." },
    { type: "text", text: ["Rome ", "is sunny."] },
  ],
};
const back: Reply = { parts: [{ type: "text", text: "Back." }] };

interface WatchedTool {
  readonly tool: Tool;
  /** The signals that it was given, by city. */
  readonly signals: ReadonlyMap<string, AbortSignal>;
  /** When it has been started twice. */
  readonly started: Promise<void>;
}

/** A tool that runs until it is aborted, but for the cities that it knows. */
function watchedTool(...known: readonly string[]): WatchedTool {
  const signals = new Map<string, AbortSignal>();
  const started = Promise.withResolvers<void>();
  const tool = weatherTool((city, signal) => {
    signals.set(city, signal);
    if (signals.size === 2) started.resolve();
    if (known.includes(city)) return Promise.resolve(`Sunny in ${city}.`);
    return new Promise<Json>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  return { tool, signals, started: started.promise };
}

/** What has to hold after a cancellation, whenever it came. */
async function expectInterrupted(
  { assistant, server }: Rig,
  session: string,
  requests: number,
  error = interruption,
): Promise<void> {
  expect(server.requests).toHaveLength(requests);
  for (const how of await endings(server)) expect(how).toBeOneOf(["client", "ended"]);
  const before = await assistant.show(session);
  expect(before.messages.map((message) => message.text)).toEqual(["Weather?"]);
  expect(before.runs).toMatchObject([{ state: "interrupted", output: null, error }]);
  for (const one of before.runs[0]?.toolCalls ?? []) expect(one.state).toBeOneOf(["completed", "unknown"]);
  const next = await ask(assistant, "Weather?", { session });
  expect(next.outcome).toMatchObject({ state: "completed", text: "Back." });
  expectAccepted(server);
  // Of a turn that was not finished nothing is sent.
  expect(bodies(server)[requests]).toEqual(bodies(server)[0]);
  expect((await assistant.show(session)).runs.map((run) => run.state)).toEqual(["interrupted", "completed"]);
}

async function wholeTurn(choice: Choice): Promise<readonly RunEvent[]> {
  await using rig = await openRig(choice, { replies: [asks, answers] });
  const { events, outcome } = await ask(rig.assistant, "Weather?");
  expect(outcome.state).toBe("completed");
  return events;
}

describe.each(providers)("C11 $provider", (choice) => {
  /** Plays the turn up to one event after the other; `stop` ends it there. */
  async function atEachEvent(
    stop: (rig: Rig, at: number, types: readonly RunEvent["type"][]) => Promise<string>,
    error: typeof interruption,
  ): Promise<void> {
    const events = await wholeTurn(choice);
    expect(events.filter((event) => event.type === "tool-end")).toHaveLength(2);
    expect(events.length).toBeGreaterThan(16);
    const stopAt = async (at: number) => {
      const { tool, signals } = watchedTool("Rome", "Oslo");
      const seen = events.slice(0, at + 1).map((event) => event.type);
      const steps = seen.filter((type) => type === "step-start").length;
      // A `step-start` comes before its request is sent.
      const sent = seen[at] === "step-start" ? steps - 1 : steps;
      await using rig = await openRig(choice, { replies: [...[asks, answers].slice(0, sent), back], tools: [tool] });
      const session = await stop(rig, at, seen);
      for (const signal of signals.values()) expect(signal.aborted).toBe(true);
      await expectInterrupted(rig, session, sent, error);
    };
    await Promise.all(events.map((_, at) => stopAt(at)));
  }

  test("C11 a turn is cancelled at each of its events", () =>
    atEachEvent(async (rig, at, types) => {
      const controller = new AbortController();
      let seen = 0;
      const cancelled = await ask(rig.assistant, "Weather?", {
        signal: controller.signal,
        onEvent: () => void (seen++ === at && controller.abort(stopped)),
      });
      expect(cancelled.outcome).toEqual({ state: "interrupted", error: interruption });
      expect(cancelled.events.map((event) => event.type)).toEqual([...types]);
      return cancelled.sessionId;
    }, interruption));

  test("C11 a reader leaves a turn at each of its events", () =>
    atEachEvent(
      async (rig, at, types) => {
        const target = { type: "new", workload: "general", skill: null, project: null } as const;
        const submission = { text: "Weather?", channel: "cli", target };
        const seen: RunEvent[] = [];
        for await (const event of rig.assistant.submit(submission, new AbortController().signal)) {
          if (seen.push(event) === at + 1) break;
        }
        expect(seen.map((event) => event.type)).toEqual([...types]);
        return seen[0]?.type === "accepted" ? seen[0].sessionId : "";
      },
      { code: "aborted", message: "The run was stopped." },
    ));

  const stall = { type: "stall" } as const;
  const upTo = (count: number) => ("parts" in asks ? asks.parts.slice(0, count) : []);
  test.concurrent.each<readonly [string, Reply, readonly RunEvent["type"][]]>([
    ["without a byte", { connection: "silent" }, []],
    ["before the first event", { parts: [stall] }, []],
    ["in the reasoning", { parts: [...upTo(1), stall] }, ["reasoning", "reasoning"]],
    ["in the text", { parts: [...upTo(2), stall] }, ["text", "text"]],
    ["in the middle of an event", { parts: [...upTo(2), { type: "half-event", text: "x" }, stall] }, ["text", "text"]],
    ["after a tool call", { parts: [...upTo(3), stall] }, ["text", "text"]],
    ["in the body of an error", { status: 500, body: "{", after: "stall" }, []],
  ])("C11 a turn that waits %s is cancelled, in its first step and in its second", async (_name, reply, awaited) => {
    for (const before of [[], [asks]]) {
      const { tool, signals } = watchedTool("Rome", "Oslo");
      await using rig = await openRig(choice, { replies: [...before, reply, back], tools: [tool] });
      const controller = new AbortController();
      const seen = Promise.withResolvers<void>();
      let missing = [...awaited];
      if (missing.length === 0) seen.resolve();
      const running = ask(rig.assistant, "Weather?", {
        signal: controller.signal,
        onEvent(event) {
          if (!("step" in event) || event.step !== before.length + 1 || event.type !== missing[0]) return;
          missing = missing.slice(1);
          if (missing.length === 0) seen.resolve();
        },
      });
      const request = await rig.server.request(before.length + 1);
      await seen.promise;
      controller.abort(stopped);
      const cancelled = await running;
      expect(cancelled.outcome).toEqual({ state: "interrupted", error: interruption });
      expect(await request.over).toBe("client");
      expect(signals.size).toBe(before.length * 2);
      await expectInterrupted(rig, cancelled.sessionId, before.length + 1);
    }
  });

  test.each([
    ["both tools run", [], ["unknown", "unknown"]],
    ["one tool runs and the other has ended", ["Rome"], ["completed", "unknown"]],
  ] as const)("C11 a turn is cancelled while %s", async (_name, known, states) => {
    const { tool, signals, started } = watchedTool(...known);
    await using rig = await openRig(choice, { replies: [asks, back], tools: [tool] });
    const controller = new AbortController();
    const ended = Promise.withResolvers<void>();
    if (known.length === 0) ended.resolve();
    const running = ask(rig.assistant, "Weather?", {
      signal: controller.signal,
      onEvent: (event) => event.type === "tool-end" && ended.resolve(),
    });
    await Promise.all([started, ended.promise]);
    controller.abort(stopped);
    const cancelled = await running;
    expect(cancelled.outcome).toEqual({ state: "interrupted", error: interruption });
    expect([...signals.values()].map((signal) => signal.reason)).toEqual([stopped, stopped]);
    const shown = await rig.assistant.show(cancelled.sessionId);
    expect(shown.runs[0]?.toolCalls.map((one) => one.state).sort()).toEqual([...states]);
    await expectInterrupted(rig, cancelled.sessionId, 1);
  });
});
