/** Provider faults as a person meets them: the program as a process, its exit code, its one line, and what it leaves. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { ask } from "../assistant.ts";
import { apiKey, type Reply } from "../model-server/index.ts";
import { providers } from "../providers/setup.ts";
import { environmentFor, runTold } from "./running.ts";
import { bodies, endings, expectAccepted, expectNoKey, openRig, weatherCall } from "./setup.ts";

setDefaultTimeout(30_000);

const back: Reply = { parts: [{ type: "text", text: "Back." }] };
const wrongKey: Reply = { status: 401, body: { error: { message: `Incorrect API key provided: ${apiKey}` } } };

describe.each(providers.map((choice) => ({ ...choice, choice })))("C11 $provider", ({ choice }) => {
  test.each<readonly [string, RegExp, readonly Reply[]]>([
    ["a wrong key", /refused the API key \(HTTP 401\)/, [wrongKey]],
    ["a cut answer", /before its answer was complete/, [{ parts: [{ type: "text", text: "Half" }, { type: "cut" }] }]],
    [
      "an overload after a tool",
      /is overloaded \(HTTP 529\)/,
      [{ parts: [weatherCall("call_1", "Rome")] }, { status: 529, body: { error: { message: "Overloaded." } } }],
    ],
  ])("C11 %s is one line on stderr, exit 1, and the input is kept", async (_name, line, replies) => {
    await using rig = await openRig(choice, { replies: [...replies, back] });
    const { server, assistant, home } = rig;
    using tools = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("Sunny.") });
    const env = await environmentFor(choice, rig, tools.url.origin);
    await using running = runTold(["chat", "new", "Weather?"], env, "SIGTERM");
    expect(await running.exited()).toBe(1);
    const output = running.output();
    expect(output.match(/poppet: [^\n]+\n/g)).toEqual([expect.stringMatching(line)]);
    expect(output).not.toContain(apiKey);
    expect(server.requests).toHaveLength(replies.length);
    for (const how of await endings(server)) expect(how).toBeOneOf(["client", "cut", "ended"]);

    const session = (await assistant.sessions({ limit: 10 }))[0]?.id ?? "";
    const { runs, messages } = await assistant.show(session);
    expect(messages.map((message) => message.text)).toEqual(["Weather?"]);
    expect(runs).toMatchObject([{ state: "failed", error: { message: expect.stringMatching(line) }, output: null }]);
    expect((await ask(assistant, "Weather?", { session })).outcome).toMatchObject({ state: "completed" });
    expectAccepted(server);
    expect(bodies(server).at(-1)).toEqual(bodies(server)[0]);
    expectNoKey(home);
  });
});
