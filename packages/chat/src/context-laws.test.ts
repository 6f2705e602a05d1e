/** What is sent of a conversation, against a plain reading of C13 and §8.1, with reports of tokens and summaries. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Context, type ContextBudget, fitContext, readContext } from "./context.ts";
import { ChatError } from "./errors.ts";
import { type AssistantMessage, type Message, messageBytes } from "./messages.ts";
import { memoryTranscript } from "./transcript.ts";

const text = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("", "😀".repeat(9), "e\u0301漢"));
const report = fc.record({ tokens: fc.nat(60), bytes: fc.nat(120) });
const answer = fc
  .record({ words: text, measured: fc.option(report, { freq: 2 }), model: fc.constantFrom("m", "m", "other") })
  .map(
    ({ words, measured, model }): AssistantMessage => ({
      ...{ role: "assistant", text: words, reasoning: "", toolCalls: [], provider: "p", model },
      ...{ continuation: null, measured },
    }),
  );
const tools = fc
  .boolean()
  .map((has): Message[] =>
    has ? [{ role: "tool", results: [{ toolCallId: "1", toolName: "t", state: "completed", output: "result" }] }] : [],
  );
const exchange = fc
  .tuple(text, answer, tools, answer)
  .map(([question, first, results, last]): Message[] => [
    { role: "user", text: question },
    ...(results.length > 0 ? [first, ...results, last] : [last]),
  ]);
const contexts = fc.record({
  summary: fc.option(text, { freq: 3 }),
  exchanges: fc.array(exchange, { maxLength: 8, size: "max" }),
  /** The current exchange: the message, and steps of the turn so far. */
  current: exchange.chain((messages) => fc.nat(messages.length - 1).map((n) => messages.slice(0, n + 1))),
  overhead: fc.nat(30),
});
const amount = fc.oneof(fc.nat(400), fc.constant(1e9));
const budgets = fc.record({ bytes: amount, tokens: amount, exchanges: fc.oneof(fc.nat(8), fc.constant(1e9)) });

const sizeOf = (messages: readonly Message[]) => messages.reduce((sum, one) => sum + messageBytes(one), 0);
const request = (overheadBytes: number) => ({ provider: "p", model: "m", overheadBytes });

/** §8.1: what the same model last reported on this path, and a third of the bytes since; else a third of all. */
function estimate(sent: readonly Message[], overhead: number): number {
  const total = overhead + sizeOf(sent);
  const last = sent.findLastIndex((one) => one.role === "assistant" && one.measured !== null && one.model === "m");
  const reported = sent[last];
  if (reported?.role !== "assistant" || !reported.measured) return Math.ceil(total / 3);
  const { tokens, bytes } = reported.measured;
  const since = sizeOf(sent.slice(last + 1));
  const through = total - since;
  return Math.ceil((through < bytes ? (tokens * through) / bytes : tokens + (through - bytes) / 3) + since / 3);
}

interface Case {
  readonly context: Context;
  readonly current: readonly Message[];
  readonly overhead: number;
  /** The request with so many of the newest exchanges. */
  readonly sending: (exchanges: number) => readonly Message[];
}

function caseOf(given: typeof contexts extends fc.Arbitrary<infer T> ? T : never): Case {
  const { summary, current, overhead } = given;
  const exchanges = given.exchanges.map((messages, n) => ({ id: String(n), messages, bytes: sizeOf(messages) }));
  const head: Message[] = [{ role: "user", text: `[Summary of the conversation so far]\n${summary}` }];
  const sending = (count: number) => [
    ...(summary === null ? [] : head),
    ...given.exchanges.slice(given.exchanges.length - count).flat(),
    ...current,
  ];
  return { context: { summary, exchanges }, current, overhead, sending };
}

const fits = (sent: readonly Message[], overhead: number, budget: ContextBudget) =>
  overhead + sizeOf(sent) <= budget.bytes && estimate(sent, overhead) <= budget.tokens;

test("C13 law: the newest whole exchanges, as many as fit one after the other; else it says by how much", () => {
  let refused = 0;
  let trimmed = 0;
  fc.assert(
    fc.property(contexts, budgets, (given, budget) => {
      const { context, current, overhead, sending } = caseOf(given);
      const all = given.exchanges.length;
      let expected = fits(sending(0), overhead, budget) ? 0 : -1;
      while (expected >= 0 && expected < Math.min(all, budget.exchanges)) {
        if (!fits(sending(expected + 1), overhead, budget)) break;
        expected++;
      }
      if (expected < 0) {
        refused++;
        const bytes = overhead + sizeOf(sending(0));
        const [unit, actual] = bytes > budget.bytes ? ["bytes", bytes] : ["tokens", estimate(sending(0), overhead)];
        const limit = bytes > budget.bytes ? budget.bytes : budget.tokens;
        try {
          fitContext(context, current, budget, request(overhead));
        } catch (thrown) {
          const details = ChatError.isInstance(thrown) ? thrown.details : null;
          expect(details).toEqual({ unit, actual, limit, over: Number(actual) - limit });
          return;
        }
        throw new Error("what does not fit was sent");
      }
      if (expected < all) trimmed++;
      expect(fitContext(context, current, budget, request(overhead)).messages).toEqual(sending(expected));
    }),
    { numRuns: 1_500 },
  );
  expect([refused > 100, trimmed > 100]).toEqual([true, true]);
});

test("C13 law: what is read back is enough for the budget: reading all of it would send the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(exchange, { maxLength: 8, size: "max" }),
      exchange,
      budgets,
      async (list, now, budget) => {
        const transcript = memoryTranscript();
        for (const [n, content] of list.entries()) {
          const tip = await transcript.tip();
          await transcript.commit({ expected: tip, parent: tip, exchange: String(n), content });
        }
        const read = async (limits: Pick<ContextBudget, "exchanges" | "bytes">) => {
          const context = await readContext(transcript, await transcript.tip(), limits);
          try {
            return fitContext(context, now.slice(0, 1), budget, request(0)).messages;
          } catch (thrown) {
            return ChatError.isInstance(thrown) ? thrown.details : thrown;
          }
        };
        expect(await read(budget)).toEqual(await read({ exchanges: 1e9, bytes: 1e9 }));
      },
    ),
    { numRuns: 300 },
  );
});
