import { expect, test } from "bun:test";
import { finish, type ScriptedStep, say, scriptedModel } from "@poppet/chat/testing";
import fc from "fast-check";
import type { RunEvent, RunOutcome } from "../src/assistant.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

const plans = fc.array(
  fc.record({
    assistant: fc.nat(2),
    session: fc.nat(1),
    /** When it is asked to go on, among the others. */
    turn: fc.nat(1_000),
    fate: fc.constantFrom("answered", "answered", "answered", "fails", "stopped before", "stopped after"),
  }),
  { minLength: 5, maxLength: 8, size: "max" },
);

/** Answers by what the message says, so that it does not matter which process gets it. */
const step: ScriptedStep = (request) => {
  const last = request.messages.at(-1);
  const text = last?.role === "user" ? last.text : "";
  return text.includes("fails") ? [say("part"), finish("length")] : `answer to ${text}`;
};

interface Accepted {
  readonly i: number;
  readonly turn: number;
  readonly fate: string;
  readonly stop: AbortController;
  readonly running: AsyncGenerator<RunEvent, RunOutcome>;
}

test("§8.5 law: in each session messages are answered in the order of acceptance, whoever runs them", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      using folder = temporaryFolder();
      const open = () =>
        testAssistant({
          home: folder.path,
          model: scriptedModel([step], { provider: "openai", modelId: "test-model" }),
        });
      const assistants = [await open(), await open(), await open()];
      const [first] = assistants;
      if (!first) return;
      const sessions = [(await ask(first, "one")).sessionId, (await ask(first, "two")).sessionId];
      const started: number[] = [];

      const accepted: Accepted[] = [];
      for (const [i, { assistant, session, turn, fate }] of plan.entries()) {
        const stop = new AbortController();
        const target = { type: "session", sessionId: sessions[session] ?? "" } as const;
        const running = (assistants[assistant] ?? first).submit(
          { text: `${i} ${fate}`, channel: "cli", target },
          stop.signal,
        );
        expect((await running.next()).value).toMatchObject({ type: "accepted" });
        accepted.push({ i, turn, fate, stop, running });
      }
      const toEnd = async ({ i, fate, stop, running }: Accepted): Promise<RunOutcome> => {
        if (fate === "stopped before") stop.abort();
        for (;;) {
          const next: IteratorResult<RunEvent, RunOutcome> = await running.next();
          if (next.done) return next.value;
          if (next.value.type === "started") started.push(i);
          if (next.value.type === "started" && fate === "stopped after") stop.abort();
        }
      };
      const shuffled = accepted.toSorted((a, b) => a.turn - b.turn);
      const outcomes = new Map(await Promise.all(shuffled.map(async (one) => [one.i, await toEnd(one)] as const)));

      const states = { answered: "completed", fails: "failed", "stopped before": "interrupted" } as const;
      const expected = (fate: string) => states[fate as keyof typeof states] ?? "interrupted";
      for (const [i, { fate }] of plan.entries()) expect(outcomes.get(i)?.state).toBe(expected(fate));
      for (const [number, id] of sessions.entries()) {
        const mine = plan.flatMap((one, i) => (one.session === number ? [{ ...one, i }] : []));
        const order = started.filter((i) => plan[i]?.session === number);
        expect(order).toEqual(mine.flatMap(({ i, fate }) => (fate === "stopped before" ? [] : [i])));
        const shown = await first.show(id);
        expect(shown.messages.slice(2).map((message) => message.text)).toEqual(
          mine.flatMap(({ i, fate }) =>
            fate === "answered" ? [`${i} ${fate}`, `answer to ${i} ${fate}`] : [`${i} ${fate}`],
          ),
        );
      }
      for (const assistant of assistants) await assistant.close();
    }),
    { numRuns: 6 },
  );
});
