/** Answers that a provider sends whole and that are odd all the same: too large, empty, refused, wrong about tools. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { ask } from "../assistant.ts";
import type { Reply } from "../model-server/index.ts";
import { providers } from "../providers/setup.ts";
import { bodies, endings, expectAccepted, expectNoKey, openRig, type Rig, weatherCall } from "./setup.ts";

// Many run side by side, on machines with much else to do.
setDefaultTimeout(60_000);

const limit = 131_072;
const back: Reply = { parts: [{ type: "text", text: "Back." }] };
const say = (text: string | readonly string[]): Reply => ({ parts: [{ type: "text", text }] });
/** So many bytes, half of them in characters of two, in deltas of 1 KiB. */
const bytes = (count: number): readonly string[] =>
  Array.from({ length: Math.ceil(count / 1024) }, (_, i) => {
    const size = Math.min(1024, count - i * 1024);
    return "é".repeat(Math.floor(size / 4)) + "x".repeat(size - 2 * Math.floor(size / 4));
  });

describe.each(providers)("C11 $provider", (choice) => {
  test.concurrent.each<readonly [string, string, Reply, "client" | "ended"]>([
    [
      "an answer of one byte more than 128 KiB",
      "answer_too_large",
      { parts: [{ type: "text", text: bytes(limit + 1) }, { type: "stall" }] },
      "client",
    ],
    ["10 MB of reasoning", "record_too_large", { parts: [{ type: "reasoning", text: megabytes(10) }] }, "client"],
    ["10 MB of arguments", "record_too_large", hugeCall(), "client"],
    ["an event without an end", "provider_malformed", endlessEvent(), "client"],
    ["an empty answer", "answer_empty", { parts: [] }, "ended"],
    ["an answer of blanks", "answer_empty", say(" \n\t"), "ended"],
    ["reasoning without an answer", "answer_empty", { parts: [{ type: "reasoning", text: "Hm." }] }, "ended"],
    ["a refused content", "answer_filtered", { parts: [], finish: "refusal" }, "ended"],
    ["a refused content in the answer", "answer_filtered", { ...say("Half"), finish: "content-filter" }, "ended"],
    ["an answer at the output limit", "answer_truncated", { ...say("Half"), finish: "length" }, "ended"],
    [
      "a word, a delay and then nothing",
      "answer_unfinished",
      {
        parts: [
          { type: "text", text: "Half" },
          { type: "delay", ms: 20 },
        ],
        finish: null,
      },
      "ended",
    ],
  ])("C11 %s fails as %s", async (name, code, reply, how) => {
    await using rig = await openRig(choice, { replies: [reply, back] });
    const { assistant, server } = rig;
    const failed = await ask(assistant, "Go on.");
    expect(failed.outcome).toMatchObject({ state: "failed", error: { code } });
    expect(server.requests).toHaveLength(1);
    // Gemini's arguments come whole, in one event.
    const whole = choice.provider === "gemini" && name === "10 MB of arguments";
    expect(await endings(server)).toEqual([whole ? "ended" : how]);
    await expectNextWorks(rig, failed.sessionId, code);
  });

  test("C12 an answer of 128 KiB is saved whole and goes back", async () => {
    const text = bytes(limit);
    await using rig = await openRig(choice, { replies: [say(text), back] });
    const { outcome, sessionId } = await ask(rig.assistant, "Go on.");
    expect(outcome).toMatchObject({ state: "completed", text: text.join("") });
    await ask(rig.assistant, "More.", { session: sessionId });
    expectAccepted(rig.server);
    expect(JSON.stringify(rig.server.requests[1]?.body)).toContain(text.join(""));
    expect((await rig.assistant.show(sessionId)).messages[1]?.text).toBe(text.join(""));
  });

  test("C11 a delay within the answer changes nothing", async () => {
    const pause = { type: "delay", ms: 20 } as const;
    const parts = [pause, { type: "text", text: "Slow" }, pause, { type: "text", text: "ly." }, pause] as const;
    await using rig = await openRig(choice, { replies: [{ parts }] });
    expect((await ask(rig.assistant, "Go on.")).outcome).toMatchObject({ state: "completed", text: "Slowly." });
  });

  test("C11 a character split over two chunks reaches the answer and the store whole", async () => {
    await using rig = await openRig(choice, { replies: [{ parts: [{ type: "split-text", text: "a🐧é" }] }, back] });
    const { outcome, sessionId } = await ask(rig.assistant, "Go on.");
    expect(outcome).toMatchObject({ state: "completed", text: "a🐧é" });
    expect((await rig.assistant.show(sessionId)).messages[1]?.text).toBe("a🐧é");
  });

  // Anthropic has no answer without.
  test.skipIf(choice.provider === "anthropic")("C14 no usage is null, in a turn of one step and of two", async () => {
    const silent = { ...back, usage: null };
    const replies = [silent, { parts: [weatherCall("call_1", "Rome")] }, silent];
    await using rig = await openRig(choice, { replies });
    const one = await ask(rig.assistant, "Go on.");
    expect(one.outcome).toEqual({ state: "completed", text: "Back.", usage: null });
    const two = await ask(rig.assistant, "Weather?", { session: one.sessionId });
    expect(two.outcome).toMatchObject({ state: "completed", usage: null });
    expectAccepted(rig.server);
  });

  test("§7 a redirect to another host carries no request there", async () => {
    await using thief = await openRig(choice, { replies: [back] });
    const location = thief.server.baseUrl(choice.provider);
    for (const status of [301, 302, 303, 307, 308]) {
      await using rig = await openRig(choice, { replies: [{ status, headers: { location } }, back] });
      const failed = await ask(rig.assistant, "Go on.");
      expect(failed.outcome).toMatchObject({ state: "failed", error: { code: "provider_rejected" } });
      expect([rig.server.requests.length, thief.server.requests.length]).toEqual([1, 0]);
      await expectNextWorks(rig, failed.sessionId, "provider_rejected");
    }
  });

  test("§8.9 broken arguments, an unknown tool and a wrong value go back to the model, which goes on", async () => {
    const calls = [
      // Gemini's arguments are part of the event's own JSON.
      { ...weatherCall("call_1", "Rome"), ...(choice.provider !== "gemini" && { input: '{"city": "Par' }) },
      { ...weatherCall("call_2", "Rome"), name: "poppet_test__none" },
      { ...weatherCall("call_3", "Rome"), input: { city: 5 } },
      { ...weatherCall("call_4", "Rome"), input: [1, 2] },
      weatherCall("call_5", "Oslo"),
    ];
    await using rig = await openRig(choice, { replies: [{ parts: calls }, back, back] });
    const { outcome, sessionId } = await ask(rig.assistant, "Weather?");
    expect(outcome).toMatchObject({ state: "completed", text: "Back." });
    await ask(rig.assistant, "And now?", { session: sessionId });
    expect(rig.server.requests).toHaveLength(3);
    expectAccepted(rig.server);
    const shown = (await rig.assistant.show(sessionId)).runs[0]?.toolCalls ?? [];
    const first = choice.provider === "gemini" ? "completed" : "tool_input";
    expect(shown.map(({ state, error }) => error?.code ?? state)).toEqual(
      expect.arrayContaining([first, "tool_unknown", "tool_input", "tool_input", "completed"]),
    );
    expect(shown).toHaveLength(5);
  });
});

async function expectNextWorks({ assistant, server, home }: Rig, session: string, code: string): Promise<void> {
  expect((await ask(assistant, "Go on.", { session })).outcome).toMatchObject({ state: "completed", text: "Back." });
  expectAccepted(server);
  const [failed, next] = bodies(server);
  expect(next).toEqual(failed);
  const { messages, runs } = await assistant.show(session);
  expect(messages.map((message) => message.text)).toEqual(["Go on.", "Go on.", "Back."]);
  expect(runs.map((run) => run.error?.code ?? run.state)).toEqual([code, "completed"]);
  expectNoKey(home);
}

function megabytes(count: number): readonly string[] {
  return Array.from({ length: count * 16 }, () => "r".repeat(65_536));
}

function hugeCall(): Reply {
  return { parts: [{ ...weatherCall("call_1", "x".repeat(10_000_000)), pieces: 160 }] };
}

function endlessEvent(): Reply {
  const part = { type: "raw", text: "x".repeat(1_048_576) } as const;
  return { parts: [{ type: "raw", text: "data: " }, ...Array.from({ length: 17 }, () => part), { type: "stall" }] };
}
