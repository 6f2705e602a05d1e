/** A provider that stalls, or trickles for longer than it may: the deadlines, on a clock that is moved by hand. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { handClock } from "@poppet/chat/testing";
import { defaultLimits } from "../../src/settings.ts";
import { ask } from "../assistant.ts";
import type { Reply } from "../model-server/index.ts";
import { providers, weatherTool } from "../providers/setup.ts";
import { bodies, endings, expectAccepted, expectNoKey, openRig, weatherCall } from "./setup.ts";

// Many run side by side, on machines with much else to do.
setDefaultTimeout(60_000);

const back: Reply = { parts: [{ type: "text", text: "Back." }] };
const stall = { type: "stall" } as const;
const half = { type: "text", text: "Half" } as const;

const stalls: readonly (readonly [string, Reply])[] = [
  ["without a byte", { connection: "silent" }],
  ["before the first event", { parts: [stall] }],
  ["in the reasoning", { parts: [{ type: "reasoning", text: "Hm" }, stall] }],
  ["in the answer", { parts: [half, stall] }],
  ["in the middle of an event", { parts: [half, { type: "half-event", text: "more" }, stall] }],
  ["after a tool call", { parts: [weatherCall("call_1", "Rome"), stall] }],
  ["in the body of an error", { status: 500, body: "{", after: "stall" }],
];

describe.each(providers)("§8.7 $provider", (choice) => {
  // A server of one's own has the time of the whole run.
  const patient = choice.provider === "openai-compatible";
  const ms = patient ? defaultLimits.runMs : defaultLimits.requestMs;
  const code = patient ? "turn_deadline" : "request_deadline";

  test.concurrent.each(stalls)("§8.7 a stall %s ends at the deadline and not before", async (_name, reply) => {
    const clock = handClock(Date.UTC(2026, 10, 30));
    await using rig = await openRig(choice, { replies: [reply, back], clock });
    const { assistant, server } = rig;
    let ended = false;
    const running = ask(assistant, "Go on.").finally(() => {
      ended = true;
    });
    const request = await server.request(1);
    clock.advance(ms - 1);
    // What a deadline that came early would do has been done when another request is through.
    await assistant.sessions({ limit: 1 });
    expect(ended).toBe(false);
    clock.advance(1);
    const failed = await running;
    expect(failed.outcome).toMatchObject({
      state: "failed",
      error: { code, message: expect.stringContaining(`${ms / 1000} s`) },
    });
    expect(await request.over).toBe("client");
    expect(server.requests).toHaveLength(1);

    const session = failed.sessionId;
    expect((await ask(assistant, "Go on.", { session })).outcome).toMatchObject({ state: "completed", text: "Back." });
    expectAccepted(server);
    expect(bodies(server)[1]).toEqual(bodies(server)[0]);
    const { messages, runs } = await assistant.show(session);
    expect(messages.map((message) => message.text)).toEqual(["Go on.", "Go on.", "Back."]);
    expect(runs.map((run) => run.error?.code ?? run.state)).toEqual([code, "completed"]);
    expectNoKey(rig.home);
  });

  test("§8.7 a trickle does not put the deadline off, which counts from the request", async () => {
    const clock = handClock();
    const trickle: Reply = { parts: [{ type: "deltas", count: 100_000, text: "drip ", everyMs: 1 }] };
    await using rig = await openRig(choice, { replies: [trickle, back], clock });
    let deltas = 0;
    const failed = await ask(rig.assistant, "Go on.", {
      onEvent(event) {
        if (event.type !== "text") return;
        deltas++;
        clock.advance(1000);
      },
    });
    expect(failed.outcome).toMatchObject({ state: "failed", error: { code } });
    expect(deltas).toBe(ms / 1000);
    expect(await endings(rig.server)).toEqual(["client"]);
    const { sessionId: session } = failed;
    expect((await ask(rig.assistant, "Go on.", { session })).outcome).toMatchObject({ state: "completed" });
    expect(bodies(rig.server)[1]).toEqual(bodies(rig.server)[0]);
    expect(JSON.stringify(await rig.assistant.show(session))).not.toContain("drip");
  });

  test("§8.7 each request has a deadline of its own", async () => {
    const clock = handClock();
    const looking = { parts: [half, weatherCall("call_1", "Rome")] } as const;
    const replies = [looking, looking, { parts: [half, stall] }, back];
    await using rig = await openRig(choice, {
      replies,
      clock,
      settings: { limits: { ...defaultLimits, requestMs: 1000 } },
    });
    const atThird = Promise.withResolvers<void>();
    const running = ask(rig.assistant, "Go on.", {
      onEvent(event) {
        if (event.type !== "text") return;
        // Just in time, three times.
        clock.advance(999);
        if (event.step === 3) atThird.resolve();
      },
    });
    await atThird.promise;
    const third = await rig.server.request(3);
    clock.advance(patient ? ms : 1);
    const failed = await running;
    expect(failed.outcome).toMatchObject({ state: "failed", error: { code } });
    expect(await third.over).toBe("client");
    const session = failed.sessionId;
    expect((await rig.assistant.show(session)).runs[0]?.toolCalls).toHaveLength(2);
    expect((await ask(rig.assistant, "Go on.", { session })).outcome.state).toBe("completed");
    expectAccepted(rig.server);
    expect(bodies(rig.server)[3]).toEqual(bodies(rig.server)[0]);
  });

  test("§8.7 the run's deadline covers its tools", async () => {
    const clock = handClock();
    const started = Promise.withResolvers<AbortSignal>();
    const slow = weatherTool((_city, signal) => {
      started.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const replies = [{ parts: [{ type: "text", text: "Looking." }, weatherCall("call_1", "Rome")] } as const, back];
    await using rig = await openRig(choice, { replies, clock, tools: [slow] });
    const running = ask(rig.assistant, "Go on.");
    const signal = await started.promise;
    clock.advance(defaultLimits.runMs);
    const failed = await running;
    expect(failed.outcome).toMatchObject({ state: "failed", error: { code: "turn_deadline" } });
    expect(signal.aborted).toBe(true);
    const session = failed.sessionId;
    expect((await rig.assistant.show(session)).runs[0]?.toolCalls).toMatchObject([{ state: "unknown", result: null }]);
    expect((await ask(rig.assistant, "Go on.", { session })).outcome.state).toBe("completed");
    expectAccepted(rig.server);
    expect(bodies(rig.server)[1]).toEqual(bodies(rig.server)[0]);
  });
});
