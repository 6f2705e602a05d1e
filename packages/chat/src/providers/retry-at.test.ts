import { describe, expect, test } from "bun:test";
import { retryAt } from "./retry-at.ts";

const now = Date.UTC(2026, 10, 30);

describe("P5 when to come back", () => {
  const at = (headers: Record<string, string>, delay: number | null = null) => {
    const told = retryAt(headers, delay, now);
    return told === null ? null : told - now;
  };
  test.each([
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": new Date(now - 5000).toUTCString() }, 0],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "99999999" }, null],
    [{ "retry-after-ms": "20", "retry-after": "9" }, 20],
    [{ "x-ratelimit-reset-tokens": "20ms" }, 20],
    [{ "x-ratelimit-reset-requests": "1h2m3s" }, 3_723_000],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "2s" }, 2000],
    [
      {
        "x-ratelimit-reset-requests": "9s",
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-reset-tokens": "2s",
        "x-ratelimit-remaining-tokens": "0",
      },
      2000,
    ],
    [{ "x-ratelimit-reset": String(now / 1000 + 30) }, 30_000],
    [{ "x-ratelimit-reset": String(now + 40) }, 40],
    [{ "anthropic-ratelimit-tokens-reset": new Date(now + 7000).toISOString() }, 7000],
    [{}, null],
  ] as const)("P5 %j is in %s ms", (headers, expected) => {
    expect(at(headers)).toBe(expected);
  });
  test("P5 a delay in the body counts where no header names a time", () => {
    expect(at({}, 34_000)).toBe(34_000);
    expect(at({ "retry-after": "1" }, 34_000)).toBe(1000);
  });
});
