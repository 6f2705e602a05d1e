import { describe, expect, test } from "bun:test";
import { fileTranscript } from "../../../examples/file-transcript.ts";
import { codeOf, scriptedChat, textsOf } from "../test/client.ts";

/** What it comes to once all that can move has moved. */
async function settled<Value>(promise: Promise<Value>): Promise<Value | "pending"> {
  const turns = async () => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    return "pending" as const;
  };
  return Promise.race([promise, turns()]);
}

describe("L8 what a call is given", () => {
  test("L6 a signal that is none is refused, and the client goes on", async () => {
    for (const signal of [{}, "no", 5] as never[]) {
      const { client } = scriptedChat(["answer"]);
      const before = client.chat("first");
      for (const call of [client.chat("x", { signal }), client.add("x", { signal }), client.clear({ signal })]) {
        expect(await codeOf(call)).toBe("option_invalid");
      }
      expect((await before).text).toBe("answer");
      expect((await settled(client.chat("second"))) as object).toMatchObject({ text: "answer" });
    }
  });

  test("a message that is none is refused as such: a body that was not checked", async () => {
    const wrong = [
      undefined,
      null,
      5,
      {},
      { text: 5 },
      { text: "a", sources: "abc" },
      { text: "a", sources: null },
      { text: "a", sources: [null] },
      { text: "a", sources: [{ text: "x" }] },
    ] as never[];
    const { client, model } = scriptedChat(["answer"]);
    for (const input of wrong) {
      for (const call of [client.chat(input), client.add(input), client.addCached(input)]) {
        expect([input, await codeOf(call)]).toEqual([input, "option_invalid"]);
      }
    }
    expect(model.requests.length).toBe(0);
  });

  test("L6 a source that is none does not spoil a store for good", async () => {
    const path = `${process.env.TMPDIR ?? "/tmp"}/${crypto.randomUUID()}.jsonl`;
    const { client } = scriptedChat(["answer"], { transcript: fileTranscript(path) });
    await client.add({ text: "a", sources: [null] } as never).catch(() => {});
    expect((await client.chat("hello")).text).toBe("answer");
    await Bun.file(path).delete();
  });

  test("L6 what is done to a list of sources after it was given is not done to the conversation", async () => {
    const { client, model } = scriptedChat(["answer"]);
    const sources = [{ label: "a", text: "tides" }];
    await client.chat({ text: "first", sources });
    for (const source of sources) source.text = "changed";
    sources.length = 0;
    await client.chat("second");
    const first = model.requests[1]?.messages[0];
    expect(first).toEqual({ role: "user", text: "first", sources: [{ label: "a", text: "tides" }] });
  });

  test("L6 a message that no request can hold is refused when it is added, as when it is said", async () => {
    const { client, model } = scriptedChat(["answer"], { limits: { contextBytes: 1_000 } });
    for (const add of [client.add, client.addCached, client.chat]) {
      expect(await codeOf(add("x".repeat(1_001)))).toBe("context_overflow");
    }
    await client.add("x".repeat(1_000));
    await client.chat("hello");
    expect(textsOf(model.requests[0]?.messages ?? [])).toEqual(["hello"]);
  });
});
