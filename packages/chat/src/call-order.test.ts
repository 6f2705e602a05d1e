import { expect, test } from "bun:test";
import fc from "fast-check";
import { type ChatClient, ChatError, createChat, type Snapshot } from "./index.ts";
import { type SessionProvider, sessionModel } from "./session.ts";
import { finish, say, scriptedModel } from "./testing/index.ts";

/** Its state is how many messages it answered. */
const counting: SessionProvider = {
  provider: "counting",
  modelId: "c",
  openSession(given) {
    let count = Number(given);
    return {
      async *send() {
        count++;
        yield say(`answer ${count}`);
        yield finish();
      },
      state: () => (count === 0 ? null : count),
      close: async () => {},
    };
  },
};

const kinds = {
  "in a transcript": () => createChat({ model: scriptedModel([({ messages }) => `after ${messages.length}`]) }),
  "kept by a provider": () => createChat({ model: sessionModel(counting) }),
};

const calls = ["add", "clear", "restore", "restore none", "snapshot", "add, aborted", "chat"] as const;

async function outcome(client: ChatClient, saved: Snapshot, call: (typeof calls)[number], at: number) {
  const made = {
    add: () => client.add(`added ${at}`),
    clear: () => client.clear(),
    restore: () => client.restore(saved),
    "restore none": () => client.restore({ format: "@poppet/chat", version: 1 }),
    snapshot: () => client.snapshot(),
    "add, aborted": () => client.add("no", { signal: AbortSignal.abort() }),
    chat: () => client.chat(`asked ${at}`),
  };
  try {
    return (await made[call]()) as unknown;
  } catch (thrown) {
    if (ChatError.isInstance(thrown)) return thrown.code;
    throw thrown;
  }
}

for (const [kind, open] of Object.entries(kinds)) {
  test(`L6 law: calls that nobody waits for take effect in their order, ${kind}`, async () => {
    const from = open();
    await from.chat("saved");
    await from.add("added before");
    const saved = await from.snapshot();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...calls), { maxLength: 7 }), async (list) => {
        // A turn takes effect when it completes; all else at once.
        const atOnce = list.filter((call) => call !== "chat");
        const [together, oneByOne, mixed] = [open(), open(), open()];
        const outcomes = await Promise.all(atOnce.map((call, at) => outcome(together, saved, call, at)));
        for (const [at, call] of atOnce.entries()) {
          expect(await outcome(oneByOne, saved, call, at)).toEqual(outcomes[at]);
        }
        expect(await together.snapshot()).toEqual(await oneByOne.snapshot());
        await Promise.all(list.map((call, at) => outcome(mixed, saved, call, at)));
      }),
      { numRuns: 200 },
    );
  });
}
