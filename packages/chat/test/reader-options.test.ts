// Copy to packages/chat/test/ and run: bun test ./packages/chat/test/reader-options.test.ts
import { expect, test } from "bun:test";
import * as z from "zod";
import { clearCommand, commandSet, createChat, runCommand, truncate, undoCommand } from "../src/index.ts";
import { sessionModel } from "../src/session.ts";
import { scriptedModel } from "../src/testing/index.ts";
import { scriptedChat, textsOf } from "./client.ts";

// chat-options.ts / context.ts: inputTokens(Infinity, null) is NaN, so every turn is context_overflow by NaN tokens.
test("L8 a window without an end is refused, or has room", async () => {
  const { client } = scriptedChat(["ok"], { contextWindow: Infinity });
  expect((await client.chat("Hi")).text).toBe("ok");
});

// create-chat.ts (ask): the first try goes into the context's exchanges, which a small budget leaves out; `run` of ask
// would have to raise budget.exchanges by one for the second (more: { budget }), or ask be given the budget.
test("L6 a repair shows the question, also where no older exchange is sent", async () => {
  const model = scriptedModel(["{}", '{"n":1}'], { supportsTools: false });
  const client = createChat({ model, policy: truncate({ exchanges: 0 }) });
  await client.ask("How many?", z.object({ n: z.number() }), { repair: true });
  expect(textsOf(model.requests[1]?.messages ?? []).join()).toContain("How many?");
});

// conversation.ts: `begun` stays true when the turn is over; /clear then says "Cleared" where there is nothing.
test("L3 a clear of what was taken back already says that there was nothing", async () => {
  const { client } = scriptedChat(["ok"]);
  await client.chat("Hi");
  await runCommand(client, commandSet([undoCommand()]), "/undo");
  expect(await runCommand(client, commandSet([clearCommand()]), "/clear")).toMatchObject({ changed: false });
});

// chat-options.ts, refuseWhatIsTheProviders: both are dropped without a word, as tools and a transcript are not.
test("L8 effort and maxOutputTokens, which a provider that keeps its conversation is never told, are refused", () => {
  const openSession = () => ({ async *send() {}, state: () => null, close: async () => {} });
  const model = sessionModel({ provider: "k", modelId: "k", openSession });
  for (const options of [{ effort: "high" as const }, { maxOutputTokens: 9 }]) {
    expect(() => createChat({ model, ...options })).toThrow(expect.objectContaining({ code: "capability_missing" }));
  }
});
