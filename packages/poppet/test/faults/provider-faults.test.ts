/**
 * Every fault of every protocol, through the whole assistant: once in the first request of a turn and once after a tool
 * has run. A failed turn must leave no trace in what the next one sends.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { ask } from "../assistant.ts";
import { apiKey } from "../model-server/index.ts";
import { faultsOf } from "../providers/faults.ts";
import { providers } from "../providers/setup.ts";
import { bodies, endings, expectAccepted, expectNoKey, goodExchange, openRig, weatherCall } from "./setup.ts";

// Many run side by side, on machines with much else to do.
setDefaultTimeout(60_000);

const oneLine = /^[^\u0000-\u001f\u007f]{20,600}$/;

describe.each(providers)("C11 $provider", (choice) => {
  test.concurrent.each([...faultsOf(choice.provider)])(
    "C11 %s ends the run as %s, and the next turn works",
    async (_, code, reply, retryAt) => {
      const replies = [
        ...goodExchange,
        reply,
        { parts: [weatherCall("call_2", "Oslo")] },
        reply,
        { parts: [{ type: "text", text: "Back." }] } as const,
      ];
      await using rig = await openRig(choice, { replies });
      const { assistant, server } = rig;
      const { sessionId } = await ask(assistant, "Weather?");
      const session = sessionId;

      const first = await ask(assistant, "Again?", { session });
      expect(first.outcome).toEqual({ state: "failed", error: { code, message: expect.stringMatching(oneLine) } });
      if (retryAt !== null) expect(JSON.stringify(first.outcome)).toContain(new Date(retryAt).toISOString());
      expect(server.requests).toHaveLength(3);
      const afterTool = await ask(assistant, "Again?", { session });
      expect(afterTool.outcome).toMatchObject({ state: "failed", error: { code } });
      expect(server.requests).toHaveLength(5);
      expect(await ask(assistant, "Again?", { session })).toMatchObject({
        outcome: { state: "completed", text: "Back." },
      });
      expect(server.requests).toHaveLength(6);

      expectAccepted(server);
      const [, , atFirst, atSecond, , atThird] = bodies(server);
      expect(atSecond).toEqual(atFirst);
      expect(atThird).toEqual(atFirst);
      for (const how of await endings(server)) expect(how).toBeOneOf(["client", "cut", "ended"]);

      const shown = await assistant.show(session);
      expect(shown.messages.map((message) => message.text)).toEqual([
        "Weather?",
        "Rome is sunny.",
        "Again?",
        "Again?",
        "Again?",
        "Back.",
      ]);
      expect(shown.messages.find((message) => message.id === first.messageId)).toMatchObject({
        role: "user",
        runId: first.runId,
      });
      expect(shown.runs.map(({ state, error, output }) => [state, error?.code ?? null, output])).toEqual([
        ["completed", null, "Rome is sunny."],
        ["failed", code, null],
        ["failed", code, null],
        ["completed", null, "Back."],
      ]);
      expect(shown.runs[2]?.toolCalls).toMatchObject([{ state: "completed", result: expect.stringContaining("Oslo") }]);
      expect(JSON.stringify([first, afterTool, shown]).toLowerCase()).not.toContain(apiKey.toLowerCase());
      expectNoKey(rig.home);
    },
  );
});
