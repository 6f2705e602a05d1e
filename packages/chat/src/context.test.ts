import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ContextBudget, fitContext, inputTokens, readContext } from "./context.ts";
import { ChatError } from "./errors.ts";
import type { AssistantMessage, Exchange, Message } from "./messages.ts";
import { messageBytes, messagesBytes } from "./messages.ts";
import { memoryTranscript, type Transcript } from "./transcript.ts";

const wide: ContextBudget = { exchanges: 400, bytes: 1e9, tokens: 1e9 };
const request = { provider: "p", model: "m", overheadBytes: 0 };

function assistant(text: string, measured: AssistantMessage["measured"] = null, model = "m"): AssistantMessage {
  return { role: "assistant", text, reasoning: "", toolCalls: [], provider: "p", model, continuation: null, measured };
}

function exchange(id: string, question: string, answer: AssistantMessage = assistant("ok")): Exchange {
  const messages: Message[] = [{ role: "user", text: question }, answer];
  return { id, messages, bytes: messages.reduce((sum, one) => sum + messageBytes(one), 0) };
}

const user = (text: string): Message => ({ role: "user", text });
const questions = (messages: readonly Message[]) => messages.flatMap((one) => (one.role === "user" ? [one.text] : []));

async function say(transcript: Transcript, id: string, bytes = 1): Promise<void> {
  const tip = await transcript.tip();
  await transcript.commit({
    expected: tip,
    parent: tip,
    exchange: id,
    content: [user(id.padEnd(bytes)), assistant("ok")],
  });
}

describe("C13 reading the context", () => {
  test("from the tip back to the last clear, oldest first", async () => {
    const transcript = memoryTranscript();
    await say(transcript, "a");
    const tip = await transcript.tip();
    await transcript.commit({ expected: tip, parent: tip, exchange: "x", content: [{ role: "clear" }] });
    await say(transcript, "b");
    await say(transcript, "c");
    const context = await readContext(transcript, await transcript.tip(), wide);
    expect(context.exchanges.map((one) => one.id)).toEqual(["b", "c"]);
    expect(questions(context.exchanges.flatMap((one) => one.messages))).toEqual(["b", "c"]);
  });

  test("§8.2 a summary stands in place of its entry and all before it", async () => {
    const transcript = memoryTranscript();
    await say(transcript, "a");
    const middle = await transcript.tip();
    await say(transcript, "b");
    await transcript.summarize(middle ?? "", "a was said");
    const context = await readContext(transcript, await transcript.tip(), wide);
    expect(context).toMatchObject({ summary: "a was said", exchanges: [{ id: "b" }] });
    expect(questions(fitContext(context, [user("now")], wide, request).messages)).toEqual([
      "[Summary of the conversation so far]\na was said",
      "b",
      "now",
    ]);
  });

  test("reads no further than the limits can reach", async () => {
    const transcript = memoryTranscript();
    for (let n = 0; n < 50; n++) await say(transcript, `e${n}`, 100);
    let read = 0;
    const counting: Transcript = {
      ...transcript,
      async *back(from) {
        for await (const entry of transcript.back(from)) {
          read++;
          yield entry;
        }
      },
    };
    expect((await readContext(counting, await transcript.tip(), { exchanges: 3, bytes: 1e9 })).exchanges).toHaveLength(
      3,
    );
    expect(read).toBe(7);
    read = 0;
    await readContext(counting, await transcript.tip(), { exchanges: 400, bytes: 250 });
    expect(read).toBe(7);
  });
});

describe("C13 fitting the context", () => {
  const history = { summary: null, exchanges: [exchange("a", "aaaa"), exchange("b", "bbbb"), exchange("c", "cccc")] };

  test("keeps the most recent exchanges within the byte limit, at it included", () => {
    const fit = (bytes: number) => questions(fitContext(history, [user("now")], { ...wide, bytes }, request).messages);
    expect(fit(3)).toEqual(["now"]);
    expect(fit(8)).toEqual(["now"]);
    expect(fit(9)).toEqual(["cccc", "now"]);
    expect(fit(15)).toEqual(["bbbb", "cccc", "now"]);
    expect(fit(21)).toEqual(["aaaa", "bbbb", "cccc", "now"]);
  });

  test("keeps at most so many exchanges", () => {
    expect(questions(fitContext(history, [user("now")], { ...wide, exchanges: 1 }, request).messages)).toEqual([
      "cccc",
      "now",
    ]);
  });

  test("instructions count", () => {
    const fit = () => fitContext(history, [user("now")], { ...wide, bytes: 10 }, { ...request, overheadBytes: 8 });
    expect(fit).toThrow("too large for the model's context by 1 bytes (11 of at most 10)");
  });

  test("L8 what tools returned is not told as the person's message", () => {
    const results = [{ toolCallId: "1", toolName: "t", state: "completed", output: "x".repeat(20) }] as const;
    const fit = () => fitContext(history, [user("now"), { role: "tool", results }], { ...wide, bytes: 10 }, request);
    expect(fit).toThrow(/^This turn, with what its tools returned, is too large/);
  });

  test("C13 law: the bytes are those of the messages that are sent", () => {
    for (const exchanges of [0, 1, 2, 3]) {
      const sent = fitContext(history, [user("now")], { ...wide, exchanges }, { ...request, overheadBytes: 8 });
      expect([exchanges, sent.bytes]).toEqual([exchanges, 8 + messagesBytes(sent.messages)]);
    }
  });

  test("§8.1 without a report, tokens are a third of the bytes", () => {
    const fit = (tokens: number) =>
      questions(fitContext(history, [user("nowww")], { ...wide, tokens }, request).messages);
    expect(() => fit(1)).toThrow("by 1 tokens");
    expect(fit(2)).toEqual(["nowww"]);
    expect(fit(4)).toEqual(["cccc", "nowww"]);
  });

  test("§8.1 with a report of the same model, tokens are what it said and a third of the bytes since", () => {
    const measured = (model: string) => ({
      summary: null,
      exchanges: [exchange("a", "aaaa"), exchange("b", "bbbb", assistant("ok", { tokens: 100, bytes: 12 }, model))],
    });
    const fit = (tokens: number, model = "m") =>
      questions(fitContext(measured(model), [user("nnn")], { ...wide, tokens }, request).messages);
    expect(fit(101)).toEqual(["aaaa", "bbbb", "nnn"]);
    expect(fit(100)).toEqual(["bbbb", "nnn"]);
    expect(fit(101, "other")).toEqual(["aaaa", "bbbb", "nnn"]);
    expect(fit(5, "other")).toEqual(["aaaa", "bbbb", "nnn"]);
  });

  test("the room for output is kept back: at most a quarter of the window", () => {
    expect(inputTokens(8192, 512)).toBe(7680);
    expect(inputTokens(8192, 8192)).toBe(6144);
    expect(inputTokens(8192, null)).toBe(6144);
    expect(inputTokens(null, 8000)).toBe(120_000);
  });

  test("law: what is sent is whole exchanges, the newest in a row, within the limits, and no more would fit", () => {
    const sizes = fc.array(fc.nat(40), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.nat(200), fc.nat(12), fc.nat(20), (list, bytes, exchanges, now) => {
        const context = { summary: null, exchanges: list.map((size, n) => exchange(String(n), "x".repeat(size))) };
        const budget = { exchanges, bytes, tokens: 1e9 };
        const current = [user("n".repeat(now))];
        if (now > bytes) {
          expect(() => fitContext(context, current, budget, request)).toThrow(ChatError);
          return;
        }
        const { messages: sent } = fitContext(context, current, budget, request);
        const kept = (sent.length - 1) / 2;
        expect(sent).toEqual([
          ...context.exchanges.slice(list.length - kept).flatMap((one) => one.messages),
          ...current,
        ]);
        const total = sent.reduce((sum, one) => sum + messageBytes(one), 0);
        expect(total).toBeLessThanOrEqual(bytes);
        expect(kept).toBeLessThanOrEqual(exchanges);
        const next = context.exchanges[list.length - kept - 1];
        if (next && kept < exchanges) expect(total + next.bytes).toBeGreaterThan(bytes);
      }),
    );
  });
});
