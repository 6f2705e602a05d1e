import { describe, expect, test } from "bun:test";
import { codeOf } from "../../test/client.ts";
import { ChatError, createChat, type ModelEvent, type ModelRequest, type Usage } from "../index.ts";
import { defineProvider, responseError } from "../provider.ts";
import { call, finish, say } from "../testing/index.ts";

const names = { provider: "own", modelId: "m" };

async function read(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

function requestWith(signal = new AbortController().signal): ModelRequest {
  return { system: "", messages: [], tools: [], signal };
}

function own(stream: (request: ModelRequest) => AsyncIterable<ModelEvent>) {
  return defineProvider({ ...names, label: "Own", secrets: ["s3cr3t"], stream });
}

describe("L7 a provider of one's own", () => {
  test("answers in a client", async () => {
    const model = own(async function* () {
      yield say("Hello.");
      yield finish();
    });
    expect((await createChat({ model }).chat("Hi")).text).toBe("Hello.");
    expect([model.supportsTools, model.supportsSchema]).toEqual([false, false]);
  });

  test("that ignores its signal still ends at once, and learns that nobody reads", async () => {
    const controller = new AbortController();
    let given: AbortSignal | null = null;
    const model = own(async function* ({ signal }) {
      given = signal;
      yield say("Half");
      await new Promise(() => {});
    });
    const events = model.stream(requestWith(controller.signal))[Symbol.asyncIterator]();
    await events.next();
    const deadline = new ChatError("request_deadline", "Too late.");
    const next = events.next();
    controller.abort(deadline);
    await expect(next).rejects.toBe(deadline);
    expect((given as AbortSignal | null)?.aborted).toBe(true);
  });

  test("says aborted where its signal was, whatever it throws then", async () => {
    const controller = new AbortController();
    const model = own(async function* () {
      yield say("Half");
      controller.abort(new Error("closed the window"));
      throw new Error("the connection broke");
    });
    expect(await codeOf(read(model.stream(requestWith(controller.signal))))).toBe("aborted");
  });

  test("is aborted when its reader leaves, and is read no further than its finish", async () => {
    const ends: string[] = [];
    const model = own(async function* ({ signal }) {
      signal.addEventListener("abort", () => ends.push("aborted"));
      yield say("a");
      yield finish();
      ends.push("read on");
    });
    for await (const _event of model.stream(requestWith())) break;
    expect(await read(model.stream(requestWith()))).toEqual([say("a"), finish()]);
    expect(ends).toEqual(["aborted", "aborted"]);
  });

  test("is not asked once the signal is aborted", async () => {
    let asked = 0;
    const model = own(async function* () {
      asked++;
      yield finish();
    });
    expect(await codeOf(read(model.stream(requestWith(AbortSignal.abort()))))).toBe("aborted");
    expect(asked).toBe(0);
  });

  test("that ends without a finish was cut off, or is no model", async () => {
    const cut = own(async function* () {
      yield say("Half");
    });
    const nothing = own(async function* () {});
    expect(await codeOf(read(cut.stream(requestWith())))).toBe("answer_unfinished");
    expect(await codeOf(read(nothing.stream(requestWith())))).toBe("provider_malformed");
  });

  test("has what it throws sorted by kind, without its key", async () => {
    const answers: readonly (readonly [Response, string])[] = [
      [new Response("no s3cr3t here", { status: 401 }), "provider_auth"],
      [new Response('{"error":{"message":"slow down"}}', { status: 429 }), "provider_rate_limit"],
      [new Response("", { status: 529 }), "provider_overloaded"],
      [new Response("x".repeat(1_000_000), { status: 500 }), "provider_server"],
    ];
    for (const [response, code] of answers) {
      const model = own(async function* () {
        throw await responseError(response);
        // biome-ignore lint/correctness/noUnreachable: a generator by type
        yield finish();
      });
      const failing = read(model.stream(requestWith()));
      await expect(failing).rejects.toMatchObject({ code, details: { provider: "own", model: "m" } });
      const message = await failing.catch((error: Error) => error.message);
      expect(message).not.toContain("s3cr3t");
      expect(message).toContain("Own");
    }
  });

  test("has its key's place and its clock in what it throws", async () => {
    const answers = [
      new Response("", { status: 401 }),
      new Response("", { status: 429, headers: { "retry-after": "60" } }),
    ];
    const model = defineProvider({
      ...{ ...names, keyHint: "OWN_KEY", now: () => 1_000 },
      async *stream() {
        throw await responseError(answers.shift() ?? new Response());
        // biome-ignore lint/correctness/noUnreachable: a generator by type
        yield finish();
      },
    });
    await expect(read(model.stream(requestWith()))).rejects.toThrow("Check OWN_KEY.");
    await expect(read(model.stream(requestWith()))).rejects.toMatchObject({ details: { retryAt: 61_000 } });
  });

  test("that keeps its conversation may have an editor, and is told when a session is over", async () => {
    let closed = 0;
    const editor = {
      read: async () => ({ revision: "r", summary: null, exchanges: [] }),
      dropLast: async () => [],
      summarize: async () => {},
    };
    const provider = defineProvider({
      ...names,
      openSession: () => ({
        ...{ editor, state: () => null },
        async *send() {
          yield say("Yes.");
          yield finish();
        },
        close: async () => void closed++,
      }),
    });
    const client = createChat({ model: provider });
    expect(await client.editor?.read()).toEqual(await editor.read());
    await client.chat("1");
    await client.clear();
    expect(closed).toBe(1);
  });

  test("has its own ChatErrors shown without its key, and else as they are", async () => {
    const failing = (error: ChatError) =>
      read(
        own(async function* () {
          throw error;
          // biome-ignore lint/correctness/noUnreachable: a generator by type
          yield finish();
        }).stream(requestWith()),
      ).catch((thrown: unknown) => thrown);
    const clean = new ChatError("provider_rate_limit", "Later.", { details: { retryAt: 12_345 }, cause: "why" });
    expect(await failing(clean)).toBe(clean);
    for (const leaky of [
      new ChatError("provider_auth", "no S3CR3T here", { cause: "s3cr3t" }),
      new ChatError("provider_auth", "no", { details: { status: 401, said: ["s3cr3t here"] } }),
    ]) {
      const shown = await failing(leaky);
      expect(shown).toMatchObject({ code: "provider_auth" });
      expect(Bun.inspect(shown)).not.toMatch(/s3cr3t/i);
    }
  });

  test("that gives what is no event is told which part of it is wrong", async () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [null, "an event is null, not an object"],
      ["Hello", "an event is of type string, not an object"],
      [{ type: "text" }, 'delta of an event "text" is undefined, not text'],
      [{ type: "reasoning", section: 0, delta: 5 }, 'delta of an event "reasoning" is of type number, not text'],
      [{ type: "tool-input", delta: null }, 'delta of an event "tool-input" is null, not text'],
      [{ ...call("t", {}), toolCallId: 5 }, 'toolCallId of an event "tool-call" is of type number, not text'],
      [{ ...call("t", {}), input: {} }, 'input of an event "tool-call" is of type object, not text'],
    ];
    for (const [event, what] of wrong) {
      const model = own(async function* () {
        yield event as ModelEvent;
        yield finish();
      });
      await expect(createChat({ model }).chat("Hi")).rejects.toMatchObject({
        code: "provider_malformed",
        message: `What came from Own cannot be read: ${what}.`,
      });
    }
    const unknown = own(async function* () {
      for (const type of ["ping", "constructor", "__proto__"]) yield { type } as unknown as ModelEvent;
      yield say("Hello.");
      yield { type: "finish", reason: "stop" } as unknown as ModelEvent;
    });
    expect((await createChat({ model: unknown }).chat("Hi")).text).toBe("Hello.");
  });

  test("that counts what is no number of tokens has not counted, and its conversations can be restored", async () => {
    const unknown = { inputTokens: null, outputTokens: null, totalTokens: null };
    const no: Usage = { ...unknown, reasoningTokens: null, cachedInputTokens: null };
    const counts: readonly (readonly [object, Usage | null])[] = [
      [{}, null],
      [{ inputTokens: Number.NaN, outputTokens: -5, totalTokens: "15" }, null],
      [
        { inputTokens: Infinity, outputTokens: 5 },
        { ...no, outputTokens: 5 },
      ],
      [JSON.parse('{"__proto__":{"x":1},"inputTokens":7}'), { ...no, inputTokens: 7 }],
    ];
    for (const [usage, known] of counts) {
      const model = own(async function* () {
        yield say("Hello.");
        yield { type: "finish", reason: "stop", usage, continuation: null } as ModelEvent;
      });
      const client = createChat({ model });
      const answer = await client.chat("Hi");
      expect(answer.usage).toEqual(known);
      await createChat({ model }).restore(JSON.parse(JSON.stringify(await client.snapshot())));
    }
  });

  test("may keep its conversation, and is then a session provider and a model for a client", async () => {
    const provider = defineProvider({
      ...names,
      openSession(state) {
        let turns = Number(state ?? 0);
        return {
          async *send() {
            yield say(`turn ${turns + 1}`);
            turns++;
            yield finish();
          },
          state: () => (turns === 0 ? null : turns),
          close: async () => {},
        };
      },
    });
    const client = createChat({ model: provider });
    expect((await client.chat("1")).text).toBe("turn 1");
    expect((await client.chat("2")).text).toBe("turn 2");
    expect((await client.snapshot()).conversation).toMatchObject({ type: "session", state: 2 });
  });

  test("without a name is refused", () => {
    expect(() => defineProvider({ ...names, modelId: "", async *stream() {} })).toThrow("needs a name");
  });
});
