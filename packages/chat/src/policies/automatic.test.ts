import { expect, test } from "bun:test";
import type { Context } from "../context.ts";
import { CompactionTrigger, type NextRequest } from "./automatic.ts";
import { compact } from "./compact.ts";

const text = (bytes: number) => ({ role: "user", text: "x".repeat(bytes) }) as const;
let made = 0;
const exchange = (bytes: number) => ({ id: `${++made}`, messages: [text(bytes)], bytes });
const contextOf = (...bytes: readonly number[]): Context => ({ summary: null, exchanges: bytes.map(exchange) });

/** Of a model that has reported nothing: three bytes are a token. */
function next(context: Context, more: Partial<NextRequest> = {}): NextRequest {
  const budget = { exchanges: 1_000, bytes: 1e9, tokens: 1e9 };
  return { context, current: [text(30)], budget, provider: "p", model: "m", overheadBytes: 60, ...more };
}
const isDue = (at: number, request: NextRequest) => new CompactionTrigger(compact({ at })).isDue(request);

test("§8.1 it is due once the request, with instructions and the message, reaches the mark", () => {
  expect(isDue(70, next(contextOf(120)))).toBe(true);
  expect(isDue(71, next(contextOf(120)))).toBe(false);
});

test("§8.1 at the latest at eight tenths of what a request may take, in tokens and bytes, or at its last exchange", () => {
  const never = Number.MAX_SAFE_INTEGER;
  const within = (budget: Partial<NextRequest["budget"]>) =>
    isDue(never, next(contextOf(60, 60), { budget: { exchanges: 9, bytes: 1e9, tokens: 1e9, ...budget } }));
  expect([within({ tokens: 87 }), within({ tokens: 88 })]).toEqual([true, false]);
  expect([within({ bytes: 225 }), within({ bytes: 226 })]).toEqual([true, false]);
  expect([within({ exchanges: 2 }), within({ exchanges: 3 })]).toEqual([true, false]);
  // A request would end before the summary that leaves two exchanges as they are.
  expect(within({ exchanges: 1 })).toBe(false);
});

test("§8.1 after a try that did not help it waits for a tenth of the context, whatever has dropped out meanwhile", () => {
  const trigger = new CompactionTrigger(compact({ at: 1 }));
  const { exchanges } = contextOf(500, 500);
  const after = (...bytes: readonly number[]) => ({ summary: null, exchanges: [...exchanges, ...bytes.map(exchange)] });
  trigger.tried(next(after()));
  expect(trigger.isDue(next(after(99)))).toBe(false);
  expect(trigger.isDue(next(after(100)))).toBe(true);
  expect(trigger.isDue(next({ summary: null, exchanges: after(99).exchanges.slice(1) }))).toBe(false);
  expect(trigger.isDue(next({ summary: null, exchanges: after(50, 50).exchanges.slice(1) }))).toBe(true);
});

test("§8.1 after one that helped it does not wait", () => {
  const trigger = new CompactionTrigger(compact({ at: 300 }));
  const { exchanges } = contextOf(600);
  trigger.tried(next({ summary: null, exchanges }));
  expect(trigger.isDue(next({ summary: null, exchanges: [...exchanges, exchange(10)] }, { overheadBytes: 600 }))).toBe(
    true,
  );
});
