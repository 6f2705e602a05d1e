import { describe, expect, test } from "bun:test";
import { anyTool, codeOf, heldModel, scriptedChat, textsOf } from "../../test/client.ts";
import { ChatError, type ChatEvent, type ChatOptions, compact, createChat, type Source, truncate } from "../index.ts";
import type { ModelRequest } from "../model.ts";
import { call, finish, handClock, type ScriptedStep, say, scriptedModel } from "../testing/index.ts";
import { summaryPrompt } from "./summary.ts";

const question = (n: number) => `question ${n}: ${"some words ".repeat(10)}`;
const isSummary = (request: ModelRequest) => request.system === summaryPrompt;
const sourcesOf = (request: ModelRequest | undefined): readonly Source[] => {
  const input = request?.messages.at(-1);
  return (input?.role === "user" && input.sources) || [];
};

/** Answers questions with their number, and summaries with what `summary` gives. */
function talk(
  summary: (request: ModelRequest) => ReturnType<Exclude<ScriptedStep, string | readonly unknown[]>>,
  options: Partial<ChatOptions> = {},
) {
  const step: ScriptedStep = (request) =>
    isSummary(request) ? summary(request) : [say(`answer ${request.messages.length}`), finish("stop", null)];
  return scriptedChat([step], { policy: compact({ at: Infinity }), ...options });
}

async function converse(client: ReturnType<typeof createChat>, from: number, to: number) {
  for (let n = from; n <= to; n++) await client.chat(question(n));
}

describe("S14 compacting when asked", () => {
  test("§8.2 a summary stands for the older exchanges; the newest two stay, and nothing is rewritten", async () => {
    const { client, model, transcript } = talk(() => "SUMMARY");
    await converse(client, 1, 4);
    const tip = await transcript.tip();
    expect(await client.applyPolicyNow()).toMatchObject({ changed: true, exchanges: 2 });
    expect(await transcript.tip()).toBe(tip);
    expect((await Array.fromAsync(transcript.back(tip))).filter((entry) => entry.summary === null)).toHaveLength(7);
    await client.chat("next");
    const sent = textsOf(model.requests.at(-1)?.messages ?? []);
    expect(sent[0]).toContain("SUMMARY");
    expect(sent.slice(1)).toEqual([question(3), "answer 5", question(4), "answer 7", "next"]);
  });

  test("S14 a second one updates the first: the writer gets all of it, and only what came since", async () => {
    const { client, model } = talk((request) => (sourcesOf(request).length === 1 ? "FIRST, whole" : "SECOND"));
    await converse(client, 1, 3);
    await client.applyPolicyNow();
    await converse(client, 4, 5);
    await client.applyPolicyNow({ focus: "the dates" });
    const asked = model.requests.filter(isSummary);
    expect(sourcesOf(asked[1]).map((source) => source.label)).toEqual(["summary so far", "messages"]);
    expect(sourcesOf(asked[1])[0]?.text).toBe("FIRST, whole");
    const messages = sourcesOf(asked[1])[1]?.text ?? "";
    expect([1, 2, 3, 4, 5].map((n) => messages.includes(question(n).trim()))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(asked[1]?.messages.at(-1)).toMatchObject({ text: expect.stringContaining("the dates") });
    expect((await client.editor?.read())?.summary).toBe("SECOND");
  });

  test("S14 a cut never stands between a tool call and its result, and the last exchange is never summarised", async () => {
    const tool = anyTool(async () => "result");
    const { client, model } = scriptedChat(
      [[call("t", { a: 1 }), finish()], "one", [call("t", { a: 2 }, "b"), finish()], "two", "SUM", "three"],
      { tools: [tool], policy: compact({ at: Infinity, keep: 1 }) },
    );
    await client.chat(question(1));
    await client.chat(question(2));
    await client.applyPolicyNow();
    expect(sourcesOf(model.requests[4])[0]?.text).toBe(
      `User: ${question(1)}\n\nAssistant: [called t with {"a":1}]\n\n[t completed: "result"]\n\nAssistant: one`,
    );
    await client.chat("3");
    const roles = model.requests.at(-1)?.messages.map((message) => message.role);
    expect(roles).toEqual(["user", "user", "assistant", "tool", "assistant", "user"]);
    expect(() => compact({ keep: 0 })).toThrow("keep");
  });

  test("S14 with nothing old there is nothing to do, and no model is asked", async () => {
    const { client, model } = talk(() => "SUM");
    await converse(client, 1, 2);
    expect(await client.applyPolicyNow()).toEqual({ changed: false, reason: "nothing-old" });
    expect(model.requests).toHaveLength(2);
  });

  test("S14 a writer of one's own that never ends is given up after a turn's time, and the turn goes on", async () => {
    const clock = handClock();
    const signals: AbortSignal[] = [];
    const summarise = ({ signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    const { client } = talk(() => "", { policy: compact({ at: 60, keep: 1, summarise }), clock });
    await client.add(question(1));
    await client.add(question(2));
    const answer = client.chat(question(3));
    while (signals.length === 0) await Bun.sleep(0);
    clock.advance(300_000);
    expect(await answer).toMatchObject({ policy: { reason: "failed", error: { code: "turn_deadline" } } });
    expect(signals[0]?.aborted).toBe(true);
  });

  test("S14 a failed, empty, too long or aborted summary changes nothing and says so", async () => {
    const endings: Record<string, ReturnType<Parameters<typeof talk>[0]>> = {
      provider_overloaded: [new ChatError("provider_overloaded", "busy")],
      answer_empty: " \n",
      answer_truncated: [say("half"), finish("length")],
      summary_refused: "long ".repeat(1_000),
      aborted: ["hang"],
    };
    for (const [code, ending] of Object.entries(endings)) {
      const { client } = talk(() => ending);
      await converse(client, 1, 4);
      const before = await client.snapshot();
      const controller = new AbortController();
      const work = client.applyPolicyNow({ signal: controller.signal });
      if (code === "aborted") controller.abort();
      expect([code, await codeOf(work)]).toEqual([code, code]);
      expect({ ...(await client.snapshot()), usage: null }).toEqual({ ...before, usage: null });
    }
  });

  test("S14 a summary that would make a request longer, its heading counted, is refused; one byte less is taken", async () => {
    const heading = "[Summary of the conversation so far]\n".length;
    const compacted = async (bytes: number) => {
      const summaries = ["FIRST", "x".repeat(bytes)];
      const { client } = talk(() => summaries.shift() ?? "", { policy: compact({ at: Infinity, keep: 1 }) });
      await converse(client, 1, 2);
      await client.applyPolicyNow();
      await client.add("newest");
      return client.applyPolicyNow().catch((error: ChatError) => error.code);
    };
    // What the second stands for: the first with its heading, question 2 and its answer.
    const before = heading + "FIRST".length + question(2).length + "answer 3".length;
    expect(await compacted(before - heading)).toBe("summary_refused");
    expect(await compacted(before - heading - 1)).toMatchObject({ bytes: { before, after: before - 1 } });
  });

  test("S14 a writer of one's own that does not hear its signal is not waited for", async () => {
    const { client } = talk(() => "", { policy: compact({ keep: 1, summarise: () => new Promise(() => {}) }) });
    await converse(client, 1, 2);
    const controller = new AbortController();
    const work = client.applyPolicyNow({ signal: controller.signal });
    controller.abort();
    expect(await codeOf(work)).toBe("aborted");
  });

  test("§8.22 what summaries cost is counted apart, also where they fail", async () => {
    const { client } = talk(() => [say("half"), finish("length", { inputTokens: 7, outputTokens: 1 })]);
    await converse(client, 1, 3);
    const { turns } = client.usage();
    await codeOf(client.applyPolicyNow());
    expect(client.usage()).toMatchObject({
      turns,
      compactions: { count: 1, unreported: 0, tokens: { inputTokens: 7 } },
    });
  });

  test("S14 what is too long for the writer's window is summarised in parts, each updating the one before; nothing is left out", async () => {
    let parts = 0;
    const { client, model } = talk(() => `SUMMARY ${++parts}`, {
      policy: compact({ at: Infinity, keep: 1, summarise: { tokens: 1_000 } }),
    });
    for (let n = 1; n <= 5; n++) await client.chat(`${n}: ${`😀${n} `.repeat(200)}`);
    expect(await client.applyPolicyNow()).toMatchObject({ changed: true, exchanges: 4 });
    const asked = model.requests.filter(isSummary);
    expect(asked.length).toBeGreaterThan(3);
    for (const [i, request] of asked.entries()) {
      const sources = sourcesOf(request);
      if (i > 0) expect(sources[0]).toEqual({ label: "summary so far", text: `SUMMARY ${i}` });
      expect(new Blob([request.system, JSON.stringify(request.messages)]).size / 3).toBeLessThan(1_000);
    }
    const told = asked.map((request) => sourcesOf(request).at(-1)?.text).join("");
    for (const n of [1, 2, 3, 4]) expect(told.split(`😀${n} `).length - 1).toBe(200);
    expect((await client.editor?.read())?.summary).toBe(`SUMMARY ${asked.length}`);
  });

  test("S14 each part leaves room for the summary so far", async () => {
    const long = "SUMMARY, long. ".repeat(60);
    const { client, model } = talk(() => long, {
      policy: compact({ at: Infinity, keep: 1, summarise: { tokens: 1_200 } }),
    });
    for (let n = 1; n <= 3; n++) await client.chat(`${n}: ${"words ".repeat(600)}`);
    await client.applyPolicyNow();
    for (const request of model.requests.filter(isSummary)) {
      expect((request.system.length + JSON.stringify(request.messages).length) / 3).toBeLessThan(1_200);
    }
  });

  test("S14 a size that cannot be is said, and nothing is asked", async () => {
    for (const summarise of [{ tokens: 0 }, { tokens: Number.NaN }, { maxOutputTokens: 0.5 }]) {
      const { client, model } = talk(() => "SUM", { policy: compact({ at: Infinity, keep: 1, summarise }) });
      await converse(client, 1, 2);
      expect(await codeOf(client.applyPolicyNow())).toBe("option_invalid");
      expect(model.requests).toHaveLength(2);
    }
  });

  test("S14 parts end between messages, where they can", async () => {
    const { client, model } = talk(() => "SUM", {
      policy: compact({ at: Infinity, keep: 1, summarise: { tokens: 1_000 } }),
    });
    await converse(client, 1, 20);
    await client.applyPolicyNow();
    const parts = model.requests.filter(isSummary).map((request) => sourcesOf(request).at(-1)?.text.trim() ?? "");
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/^(User|Assistant): /);
  });

  test("S14 a summary is kept without the white space around it, and without half a character", async () => {
    const { client } = talk(() => "\n SUMMARY \n");
    await converse(client, 1, 3);
    await client.applyPolicyNow();
    expect((await client.editor?.read())?.summary).toBe("SUMMARY");
    const own = talk(() => "", { policy: compact({ keep: 1, summarise: async () => "SUM\ud83d" }) });
    await converse(own.client, 1, 2);
    await own.client.applyPolicyNow();
    expect((await own.client.editor?.read())?.summary).toBe("SUM\ufffd");
  });

  test("S14 prompt, model and writer can be one's own", async () => {
    const other = scriptedModel(["OTHER"], { modelId: "small" });
    const own = scriptedChat(["a long answer, which is there to be shortened", "b", "c"], {
      policy: compact({
        keep: 1,
        at: Infinity,
        summarise: { model: other, prompt: "Shorten this.", maxOutputTokens: 99 },
      }),
    });
    for (const text of ["1", "2"]) await own.client.chat(text);
    await own.client.applyPolicyNow();
    expect(other.requests[0]?.maxOutputTokens).toBe(99);
    expect(other.requests.map((request) => request.system)).toEqual(["Shorten this."]);
    expect(own.model.requests).toHaveLength(2);
    const written = scriptedChat(["a long answer, which is there to be shortened", "b"], {
      policy: compact({ keep: 1, summarise: async ({ exchanges, focus }) => `${exchanges.length} ${focus}` }),
    });
    for (const text of ["1", "2"]) await written.client.chat(text);
    await written.client.applyPolicyNow({ focus: "names" });
    expect((await written.client.editor?.read())?.summary).toBe("1 names");
  });

  test("L5 a conversation that changed meanwhile is left as it is: TranscriptMovedError", async () => {
    const model = heldModel(["a", "b", "c", "SUM"]);
    const client = createChat({ model });
    for (const n of [1, 2, 3]) {
      const work = client.chat(question(n));
      await model.asked(n);
      model.release();
      await work;
    }
    const work = client.applyPolicyNow();
    await model.asked(4);
    await client.add("newer");
    model.release();
    expect(await codeOf(work)).toBe("transcript_moved");
    expect(await client.editor?.read()).toMatchObject({ summary: null, exchanges: { length: 4 } });
  });

  test("L6 without a policy /compact still has one to apply, and nothing happens by itself", async () => {
    const { client, model } = scriptedChat(["a", "b", "c", "SUM"], { limits: { contextExchanges: 2 } });
    await converse(client, 1, 3);
    expect(model.requests.some(isSummary)).toBe(false);
    expect(await client.applyPolicyNow()).toMatchObject({ changed: true });
  });
});

describe("§8.1 compacting by itself", () => {
  const reports = async (client: ReturnType<typeof createChat>, text: string) => {
    const events: ChatEvent[] = [];
    for await (const event of client.stream(text)) if (event.type.startsWith("policy")) events.push(event);
    return events;
  };

  test("§8.1 before the request that would reach the mark, and says so", async () => {
    const { client, model } = talk(() => [say("SUM"), finish("stop", null)], { policy: compact({ at: 200, keep: 1 }) });
    let events: ChatEvent[] = [];
    let n = 0;
    while (events.length === 0) events = await reports(client, question(++n));
    expect(n).toBeGreaterThan(2);
    expect(events).toMatchObject([{ type: "policy-start" }, { type: "policy-end", report: { changed: true } }]);
    expect(model.requests.at(-1)?.messages[0]).toMatchObject({ text: expect.stringContaining("SUM") });
    expect(model.requests.at(-1)?.messages).toHaveLength(4);
  });

  test("§8.1 never later than eight tenths of what the window leaves, nor than the limits of a request", async () => {
    const usedUp = async (turns: number, options: Partial<ChatOptions>) => {
      const { client, model } = talk(() => "SUM", { policy: compact({ keep: 1 }), ...options });
      for (let n = 1; n <= turns && !model.requests.some(isSummary); n++) await client.chat(question(n));
      return model.requests.some(isSummary);
    };
    expect(await usedUp(40, {})).toBe(false);
    expect(await usedUp(40, { contextWindow: 2_000 })).toBe(true);
    expect(await usedUp(8, { limits: { contextExchanges: 5 } })).toBe(true);
    expect(await usedUp(8, { limits: { contextBytes: 1_000 } })).toBe(true);
  });

  test("§8.1 a failed one does not fail the turn, and is tried again only once the context has grown by a tenth", async () => {
    const { client, model } = talk(() => [new ChatError("provider_overloaded", "busy")], {
      policy: compact({ at: 100, keep: 1 }),
    });
    await converse(client, 1, 3);
    const sizes: number[] = [];
    for (let n = 0; n < 30; n++) {
      const events = await reports(client, `word ${n}`);
      if (events.length === 0) continue;
      expect(events).toMatchObject([
        {},
        { report: { changed: false, reason: "failed", error: { code: "provider_overloaded" } } },
      ]);
      sizes.push((await client.editor?.read())?.exchanges.slice(0, -1).reduce((sum, one) => sum + one.bytes, 0) ?? 0);
    }
    expect(sizes.length).toBeGreaterThan(2);
    for (const [i, size] of sizes.entries()) if (i > 0) expect(size).toBeGreaterThanOrEqual((sizes[i - 1] ?? 0) * 1.1);
    expect(model.requests.filter(isSummary).length).toBeLessThan(10);
  });

  test("§8.1 a failed one is tried again too where the context is at a limit, and so does not grow", async () => {
    for (const limits of [{ contextExchanges: 10 }, { contextBytes: 2_000 }]) {
      let tries = 0;
      const { client } = talk(() => (++tries === 1 ? [new ChatError("provider_network", "gone")] : "SUM"), {
        ...{ policy: compact({ keep: 1 }), limits },
      });
      for (let n = 0; n < 60 && tries < 2; n++) await client.chat("word ".repeat(20));
      expect(tries).toBe(2);
    }
  });

  test("§8.1 one that helps too little is not tried again at once either", async () => {
    const { client, model } = talk(() => "x".repeat(400), { policy: compact({ at: 100, keep: 1 }) });
    for (let n = 0; n < 40; n++) await client.chat(`word ${n}`);
    const summaries = model.requests.filter(isSummary).length;
    expect([summaries > 2, summaries < 12]).toEqual([true, true]);
  });

  test("S14 an abort in it ends the call", async () => {
    const { client } = talk(() => ["hang"], { policy: compact({ at: 60, keep: 1 }) });
    const controller = new AbortController();
    await converse(client, 1, 2);
    const running = client.stream("3", { signal: controller.signal });
    expect((await running.next()).value).toMatchObject({ type: "policy-start" });
    const next = running.next();
    controller.abort();
    expect(await codeOf(next)).toBe("aborted");
  });
});

describe("L6 truncating", () => {
  test("L6 a request takes only the newest; the conversation stays whole and nothing is asked", async () => {
    const { client, model } = scriptedChat(["ok"], { policy: truncate({ exchanges: 1 }) });
    await converse(client, 1, 3);
    expect(textsOf(model.requests.at(-1)?.messages ?? [])).toEqual([question(2), "ok", question(3)]);
    expect((await client.editor?.read())?.exchanges).toHaveLength(3);
    expect(await client.applyPolicyNow()).toEqual({ changed: false, reason: "each-request" });
    expect(model.requests).toHaveLength(3);
  });

  test("L6 by bytes and by tokens, the client's limits beside it", async () => {
    const sent = async (options: Partial<ChatOptions>) => {
      const { client, model } = scriptedChat([[say("ok"), finish("stop", null)]], options);
      for (let n = 1; n <= 4; n++) await client.chat("x".repeat(98));
      return model.requests.at(-1)?.messages.length;
    };
    expect(await sent({ policy: truncate({}) })).toBe(7);
    expect(await sent({ policy: truncate({ bytes: 298 }) })).toBe(5);
    expect(await sent({ policy: truncate({ bytes: 297 }) })).toBe(3);
    expect(await sent({ policy: truncate({ tokens: 100 }) })).toBe(5);
    expect(await sent({ policy: truncate({ exchanges: 5 }), limits: { contextExchanges: 1 } })).toBe(3);
    expect(await sent({ policy: truncate({ bytes: 1_000 }), limits: { contextBytes: 297 } })).toBe(3);
    expect(await sent({ policy: truncate({ tokens: 1_000 }), contextWindow: 133 })).toBe(5);
    expect(() => truncate({ bytes: 1.5 })).toThrow("bytes");
  });
});
