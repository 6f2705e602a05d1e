import { afterAll, expect, test } from "bun:test";
import { byteSize, duration, localTime, relativeTime } from "./time.ts";

const zone = process.env.TZ;
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

function inZone(name: string): (local: string) => number {
  process.env.TZ = name;
  return (local) => new Date(local).getTime();
}

test("C2 times are said as people say them, at every boundary", () => {
  const at = inZone("Europe/Berlin");
  const now = at("2026-11-30T18:44:30");
  const ago = (ms: number) => relativeTime(now - ms, now);
  expect([0, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999].map(ago)).toEqual([
    ...["just now", "just now", "1 min ago", "59 min ago", "1 h ago", "23 h ago"],
  ]);
  const since = (local: string) => relativeTime(at(local), now);
  expect(since("2026-11-29T18:44:30")).toBe("yesterday");
  expect(since("2026-11-29T00:00:00")).toBe("yesterday");
  expect(since("2026-11-28T23:59:59")).toBe("2 days ago");
  expect(since("2026-11-17T00:00:00")).toBe("13 days ago");
  expect(since("2026-11-16T23:59:59")).toBe("2026-11-16");
  expect(since("2025-02-03T01:00:00")).toBe("2025-02-03");
});

test("C2 days are those of the place, also where one is longer or shorter", () => {
  let at = inZone("Europe/Berlin");
  // 2026-10-25 has 25 hours, 2026-03-29 has 23.
  expect(relativeTime(at("2026-10-25T00:00:00"), at("2026-10-25T23:59:00"))).toBe("24 h ago");
  expect(relativeTime(at("2026-10-24T23:00:00"), at("2026-10-25T23:00:00"))).toBe("yesterday");
  expect(relativeTime(at("2026-03-28T12:00:00"), at("2026-03-30T12:00:00"))).toBe("2 days ago");
  const instant = Date.UTC(2026, 10, 30, 22, 30);
  expect(localTime(instant)).toBe("2026-11-30 23:30");
  at = inZone("Pacific/Kiritimati");
  expect(localTime(instant)).toBe("2026-12-01 12:30");
  expect(relativeTime(at("2026-11-29T23:00:00"), at("2026-12-01T01:00:00"))).toBe("2 days ago");
});

test("C2 a time to come, by a clock that was set back, is a date", () => {
  const at = inZone("UTC");
  const now = at("2026-11-30T12:00:00Z");
  expect(relativeTime(now + 30_000, now)).toBe("just now");
  expect(relativeTime(now + 86_400_000, now)).toBe("2026-12-01");
});

test("P2 lengths of time and sizes", () => {
  expect([45_000, 200_000, 7_500_000].map(duration)).toEqual(["45 s", "3 min 20 s", "2 h 5 min"]);
  expect([5, 98_000_000, 1_230_000_000].map(byteSize)).toEqual(["5 B", "98 MB", "1.2 GB"]);
});
