import { expect, test } from "bun:test";
import type { SessionSummary } from "../../assistant.ts";
import type { PullProgress } from "../../models/local/progress.ts";
import { barLine, openProgress } from "./progress.ts";
import { cutWidth, sessionTable } from "./table.ts";
import { byteSize, duration, relativeTime } from "./time.ts";

const session = (title: string | null, updatedAt: number): SessionSummary => ({
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  title,
  titleSource: "prompt",
  namingAttempted: false,
  titleUsage: null,
  provider: "local",
  model: "m",
  workload: "general",
  agent: "default",
  skill: null,
  project: null,
  channel: "cli",
  parent: null,
  archived: false,
  createdAt: 0,
  updatedAt,
});

test("C2 the table has ID, time and title, cut to the terminal by display width", () => {
  const now = 10_000_000;
  const sessions = [
    session("漢字".repeat(40), now - 5_000),
    session(null, now - 3 * 60_000),
    session("a\x1b[2Jb\nc", now),
  ];
  for (const columns of [7, 40, 60, 80, 200]) {
    const lines = sessionTable(sessions, now, columns).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line.startsWith(sessions[0]?.id ?? "?")).toBe(true);
      if (columns >= 40) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  }
  const wide = sessionTable(sessions, now, 80);
  expect(wide).toContain("3 min ago  (unnamed)");
  expect(wide).toContain("ab c");
});

test("§7 a cut never splits a grapheme", () => {
  const family = "👩‍👩‍👧‍👦";
  expect(cutWidth(`ab${family}cdef`, 5)).toBe(`ab${family}…`);
  expect(cutWidth(`ab${family}cdef`, 4)).toBe("ab…");
});

test("C2 times are said as people say them", () => {
  const day = 86_400_000;
  expect([0, 59_999, 60_000, 3_600_000, day, 3 * day].map((ago) => relativeTime(100 * day - ago, 100 * day))).toEqual([
    "just now",
    "just now",
    "1 min ago",
    "1 h ago",
    "yesterday",
    "3 days ago",
  ]);
  expect(relativeTime(0, 100 * day)).toMatch(/^19(69|70)-\d\d-\d\d$/);
  expect([45_000, 200_000, 7_500_000].map(duration)).toEqual(["45 s", "3 min 20 s", "2 h 5 min"]);
  expect([5, 98_000_000, 1_230_000_000].map(byteSize)).toEqual(["5 B", "98 MB", "1.2 GB"]);
});

const progress = (received: number): PullProgress => ({
  ...{ source: "b", stage: "downloading", received, total: 100_000_000, rate: 5_000_000 },
  secondsLeft: Math.ceil((100_000_000 - received) / 5_000_000),
});

test("P2 the bar shows share, size, rate and time left, and fits its width", () => {
  const quarter = progress(25_000_000);
  expect(barLine(quarter, 80)).toBe("[#######-----------------------]  25% 25 MB of 100 MB, 5.0 MB/s, 15 s left");
  for (const columns of [5, 20, 40]) expect(barLine(quarter, columns).length).toBeLessThanOrEqual(columns);
});

test("P2 without a terminal there is one plain line for each tenth", () => {
  let written = "";
  const { update, end } = openProgress({
    write: (text) => {
      written += text;
    },
    columns: () => 80,
    moving: false,
    clock: { now: () => 0, after: () => () => {} },
  });
  for (let done = 0; done <= 100; done++) update(progress(done * 1_000_000));
  end();
  const lines = written.trimEnd().split("\n");
  expect(lines).toHaveLength(11);
  expect(lines[5]).toBe(" 50% 50 MB of 100 MB, 5.0 MB/s, 10 s left");
  expect(written).not.toContain("\x1b");
});
