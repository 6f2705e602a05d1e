import { describe, expect, test } from "bun:test";
import { codeOf, heldModel, scriptedChat, textsOf } from "../test/client.ts";
import { ChatError, type ChatEvent, createChat, defineTool, memoryTranscript, type Tool } from "./index.ts";
import { call, finish, say, scriptedModel } from "./testing/index.ts";

function tool(name: string): Tool {
  const input = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
  return defineTool({ name, description: name, input, inputJsonSchema: { type: "object" }, run: async () => "done" });
}

const said = (model: ReturnType<typeof scriptedModel>, request = -1) =>
  textsOf(model.requests.at(request)?.messages ?? []);

describe("L6 a conversation", () => {
  test("L6 goes on from what was said, with the system prompt", async () => {
    const { client, model } = scriptedChat(["Hello.", "Again."], { system: "Be brief." });
    expect(await client.chat("Hi")).toMatchObject({ text: "Hello.", kept: true, policy: null });
    await client.chat("And?");
    expect(said(model)).toEqual(["Hi", "Hello.", "And?"]);
    expect(model.requests.map((request) => request.system)).toEqual(["Be brief.", "Be brief."]);
  });

  test("L1 text is never looked at: what names a command goes to the model as it is", async () => {
    const { client, model } = scriptedChat(["ok"]);
    await client.chat("/clear");
    await client.add("/undo");
    await client.chat("now");
    expect(said(model)).toEqual(["/clear", "ok", "/undo", "now"]);
  });

  test("L6 streams the turn's events and returns the answer", async () => {
    const { client } = scriptedChat([[say("Hel"), say("lo"), finish()]]);
    const events: ChatEvent[] = [];
    const running = client.stream("Hi");
    for (;;) {
      const next = await running.next();
      if (next.done) {
        expect(next.value.text).toBe("Hello");
        break;
      }
      events.push(next.value);
    }
    expect(events.map((event) => event.type)).toEqual(["step-start", "text", "text", "step-end"]);
  });

  test("C11 a failed turn throws its error and leaves the conversation as it was", async () => {
    const { client, model } = scriptedChat(["one", [say("hal"), finish("length")], "two"]);
    await client.chat("1");
    expect(await codeOf(client.chat("lost"))).toBe("answer_truncated");
    await client.chat("2");
    expect(said(model)).toEqual(["1", "one", "2"]);
  });

  test("L6 a stream that is left early adds nothing and lets the next call in", async () => {
    const { client, model } = scriptedChat([[say("a"), say("b"), finish()], "fine"]);
    for await (const event of client.stream("first")) if (event.type === "text") break;
    await client.chat("second");
    expect(said(model)).toEqual(["second"]);
    expect(model.requests[0]?.signal.aborted).toBe(true);
  });

  test("L6 an abort ends the call, keeps its reason, and adds nothing", async () => {
    const { client, model } = scriptedChat([[say("a"), "hang"], "fine"]);
    const controller = new AbortController();
    const running = client.stream("first", { signal: controller.signal });
    for (
      let next = await running.next();
      !("type" in next.value) || next.value.type !== "text";
      next = await running.next()
    );
    controller.abort(new ChatError("turn_deadline", "Enough."));
    expect(await codeOf(running.next())).toBe("turn_deadline");
    await client.chat("second");
    expect(said(model)).toEqual(["second"]);
    expect(await codeOf(client.chat("third", { signal: AbortSignal.abort() }))).toBe("aborted");
  });

  test("L6 an aborted call asks and changes nothing, whichever it is", async () => {
    const { client, model } = scriptedChat(["one"]);
    await client.chat("1");
    const before = await client.snapshot();
    const gone = { signal: AbortSignal.abort() };
    const works = [
      () => client.chat("x", gone),
      () => client.stream("x", gone).next(),
      () => client.ask("x", tool("t").input, gone),
      () => client.add("x", gone),
      () => client.addCached("x", gone),
      () => client.clear(gone),
      () => client.snapshot(gone),
      () => client.restore(before, gone),
      () => client.applyPolicyNow(gone),
    ];
    for (const work of works) expect(await codeOf(work())).toBe("aborted");
    expect(await client.snapshot()).toEqual(before);
    expect(model.requests).toHaveLength(1);
  });

  test("L6 an empty message is refused before anything happens", async () => {
    const { client, model } = scriptedChat(["ok"]);
    for (const work of [client.chat(" \n"), client.add(""), client.addCached("\t"), client.ask("", tool("t").input)]) {
      expect(await codeOf(work)).toBe("input_empty");
    }
    expect(model.requests).toHaveLength(0);
    await client.chat({ text: "", sources: [{ label: "a.txt", text: "data" }] });
    expect(model.requests[0]?.messages).toEqual([
      { role: "user", text: "", sources: [{ label: "a.txt", text: "data" }] },
    ]);
  });
});

describe("L6 the line of calls", () => {
  test("L6 one turn at a time, first come first served; each sees the exchange before it", async () => {
    const model = heldModel(["a", "b", "c"]);
    const client = createChat({ model });
    const works = ["1", "2", "3"].map((text) => client.chat(text));
    for (const count of [1, 2, 3]) {
      await model.asked(count);
      expect(model.requests).toHaveLength(count);
      model.release();
    }
    expect((await Promise.all(works)).map((answer) => answer.text)).toEqual(["a", "b", "c"]);
    expect(said(model)).toEqual(["1", "a", "2", "b", "3"]);
  });

  test("L6 a waiting call that is aborted leaves at once; the others keep their places", async () => {
    const model = heldModel(["a", "c"]);
    const client = createChat({ model });
    const controller = new AbortController();
    const first = client.chat("1");
    const second = client.chat("2", { signal: controller.signal });
    const third = client.chat("3");
    await model.asked(1);
    controller.abort();
    expect(await codeOf(second)).toBe("aborted");
    expect(model.requests).toHaveLength(1);
    model.release();
    await first;
    await model.asked(2);
    model.release();
    await third;
    expect(said(model)).toEqual(["1", "a", "3"]);
  });

  test("L6 a stream that nobody reads on gives up its place when it is aborted", async () => {
    const { client, model } = scriptedChat([[say("a"), say("b"), finish()], "fine"]);
    const controller = new AbortController();
    const running = client.stream("first", { signal: controller.signal });
    await running.next();
    const next = client.chat("second");
    controller.abort();
    expect((await next).text).toBe("ab");
    expect(await codeOf(running.next())).toBe("aborted");
    expect(model.requests).toHaveLength(1);
  });
});

describe("L5 what happens while the model answers", () => {
  async function during(edit: (client: ReturnType<typeof createChat>) => Promise<unknown>) {
    const model = heldModel(["one", "two", "three"]);
    const transcript = memoryTranscript();
    const client = createChat({ model, transcript });
    const first = client.chat("1");
    await model.asked(1);
    model.release();
    await first;
    const second = client.chat("2");
    await model.asked(2);
    await edit(client);
    model.release();
    const answer = await second;
    const third = client.chat("3");
    await model.asked(3);
    model.release();
    await third;
    return { kept: answer.kept, text: answer.text, said: said(model) };
  }

  test("L5 an added message stands before the answer, and neither is lost", async () => {
    const seen = await during((client) => client.add("note"));
    expect(seen).toEqual({ kept: true, text: "two", said: ["1", "one", "note", "2", "two", "3"] });
  });

  test("L5 what is taken back goes; the running exchange stays", async () => {
    const seen = await during(async (client) => {
      const view = await client.editor?.read();
      await client.editor?.dropLast(view?.revision ?? "?", 1);
    });
    expect(seen).toEqual({ kept: true, text: "two", said: ["2", "two", "3"] });
  });

  test("L3 a clear ends the running exchange too: its caller is told, and no later request has it", async () => {
    expect(await during((client) => client.clear())).toEqual({ kept: false, text: "two", said: ["3"] });
    const seen = await during(async (client) => {
      await client.clear();
      await client.add("after");
    });
    expect(seen).toEqual({ kept: false, text: "two", said: ["after", "3"] });
  });

  test("L3 so does a clear of a conversation that has nothing yet but the running question", async () => {
    const model = heldModel(["one", "two", "three"]);
    const client = createChat({ model });
    for (const n of [1, 2]) {
      const work = client.chat(`${n}`);
      await model.asked(n);
      expect(await client.clear()).toBe(true);
      model.release();
      expect(await work).toMatchObject({ kept: false });
    }
    expect(await client.clear()).toBe(false);
    const last = client.chat("3");
    await model.asked(3);
    model.release();
    await last;
    expect(said(model)).toEqual(["3"]);
  });

  test("L6 a restore takes the place of the running exchange too", async () => {
    const other = scriptedChat(["old answer"]);
    await other.client.chat("old");
    const snapshot = await other.client.snapshot();
    const seen = await during((client) => client.restore(snapshot));
    expect(seen).toEqual({ kept: false, text: "two", said: ["old", "old answer", "3"] });
  });

  test("L5 an undo back to an earlier clear does not make the running exchange one from before it", async () => {
    const model = heldModel(["one", "two", "three", "four"]);
    const client = createChat({ model });
    const talk = async (text: string, count: number, edit = async () => {}) => {
      const work = client.chat(text);
      await model.asked(count);
      await edit();
      model.release();
      return work;
    };
    await talk("1", 1);
    await client.clear();
    await talk("2", 2);
    const answer = await talk("3", 3, async () => {
      const view = await client.editor?.read();
      await client.editor?.dropLast(view?.revision ?? "?", 5);
    });
    expect(answer.kept).toBe(true);
    await talk("4", 4);
    expect(said(model)).toEqual(["3", "three", "4"]);
  });

  test("L5 another process that appends first costs nothing", async () => {
    const transcript = memoryTranscript();
    const model = heldModel(["one", "two"]);
    const [here, there] = [createChat({ model, transcript }), createChat({ model: scriptedModel(["x"]), transcript })];
    const work = here.chat("1");
    await model.asked(1);
    await there.chat("elsewhere");
    model.release();
    await work;
    const next = here.chat("2");
    await model.asked(2);
    model.release();
    await next;
    expect(said(model)).toEqual(["elsewhere", "x", "1", "one", "2"]);
  });
});

describe("L6 tools, limits and what is spent", () => {
  test("L6 setTools holds from the next turn on, and refuses two of one name", async () => {
    const { client, model } = scriptedChat(["a", [call("two", {}), finish()], "b"], { tools: [tool("one")] });
    await client.chat("1");
    client.setTools([tool("two")]);
    expect(() => client.setTools([tool("x"), tool("x")])).toThrow("same name");
    await client.chat("2");
    expect(model.requests.map((request) => request.tools.map((one) => one.name))).toEqual([["one"], ["two"], ["two"]]);
  });

  test("L6 the caller's authorize and limits hold", async () => {
    const { client } = scriptedChat([[call("one", {}), finish()], "done"], {
      tools: [tool("one")],
      authorize: async (batch) => new Map(batch.map((one) => [one.toolCallId, "not now"])),
      limits: { steps: 2 },
    });
    const ends: string[] = [];
    for await (const event of client.stream("1")) if (event.type === "tool-end") ends.push(event.result.state);
    expect(ends).toEqual(["rejected"]);
    const strict = scriptedChat([[call("one", {}), finish()]], { tools: [tool("one")], limits: { steps: 1 } });
    expect(await codeOf(strict.client.chat("1"))).toBe("step_limit");
  });

  test("L6 cached tokens are counted once a request, also over a tool loop and a restore", async () => {
    const used = { inputTokens: 100, outputTokens: 10, totalTokens: 110, reasoningTokens: 0, cachedInputTokens: 80 };
    const { client } = scriptedChat(
      [
        [call("one", {}), finish("tool-calls", used)],
        [call("one", {}, "again"), finish("tool-calls", used)],
        [say("done"), finish("stop", used)],
      ],
      { tools: [tool("one")] },
    );
    await client.addCached("the manual");
    const { usage } = await client.chat("1");
    const thrice = { ...used, inputTokens: 300, outputTokens: 30, totalTokens: 330, cachedInputTokens: 240 };
    expect(usage).toEqual(thrice);
    expect(client.usage().turns).toEqual({ count: 1, unreported: 0, tokens: thrice });
    await client.restore(await client.snapshot());
    expect(client.usage().turns).toEqual({ count: 1, unreported: 0, tokens: thrice });
  });

  test("§8.22 what failed turns reported counts, and what was not reported is said", async () => {
    const { client } = scriptedChat([
      [say("x"), finish("length")],
      [say("x"), finish("stop", null)],
      [new Error("down")],
      "fine",
    ]);
    for (const text of ["1", "2", "3", "4"]) await client.chat(text).catch(() => {});
    expect(client.usage().turns).toMatchObject({
      count: 4,
      unreported: 2,
      tokens: { inputTokens: 20, outputTokens: 10 },
    });
    expect(client.usage().compactions).toEqual({ count: 0, unreported: 0, tokens: null });
  });

  test("L6 addCached is a user message with a mark, and a clear drops it", async () => {
    const { client, model } = scriptedChat(["ok"]);
    await client.addCached("manual");
    await client.chat("1");
    expect(model.requests[0]?.messages).toEqual([
      { role: "user", text: "manual", cached: true },
      { role: "user", text: "1" },
    ]);
    await client.clear();
    await client.chat("2");
    expect(said(model)).toEqual(["2"]);
  });

  test("L8 options that cannot be are refused at once, with what to do", () => {
    const model = scriptedModel(["x"]);
    expect(() => createChat({ model, limits: { steps: Number.NaN } })).toThrow("steps");
    expect(() => createChat({ model, contextWindow: -1 })).toThrow("contextWindow");
    expect(() => createChat({ model, tools: [tool("a.b"), tool("a__b")] })).toThrow("same name");
    const sdk = { specificationVersion: "v4", provider: "p", modelId: "m" };
    expect(() => createChat({ model: sdk as never })).toThrow("languageModel(model)");
  });
});

describe("L3 what there is to clear", () => {
  test("nothing, once what was said was taken back", async () => {
    const { client } = scriptedChat(["ok"]);
    await client.chat("Hi");
    const { revision = "" } = (await client.editor?.read()) ?? {};
    await client.editor?.dropLast(revision, 1);
    expect(await client.clear()).toBe(false);
  });
});
