import { expect, test } from "bun:test";
import type { PullProgress } from "../../models/local/progress.ts";
import { cutWidth } from "../graphemes.ts";
import { barLine, openProgress } from "./progress.ts";
import { type ListedSession, sessionTable } from "./table.ts";

const session = (title: string | null, updatedAt: number, shortId = "01890a5d"): ListedSession => ({
  ...{ title, updatedAt, shortId },
});

test("C2 the table has ID, time and title, cut to the terminal by display width", () => {
  const now = 10_000_000;
  const sessions = [
    session("漢字".repeat(40), now - 5_000),
    session(null, now - 3 * 60_000, "01890a5d-ac9"),
    session("a\x1b[2Jb\nc 👩‍👩‍👧‍👦".repeat(9), now),
  ];
  for (const columns of [7, 20, 40, 60, 80, 200]) {
    const lines = sessionTable(sessions, now, columns).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const [i, line] of lines.entries()) {
      expect(line.startsWith(sessions[i]?.shortId ?? "?")).toBe(true);
      if (columns >= 20) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  }
  expect(sessionTable(sessions, now, 80)).toContain(
    "01890a5d-ac9  3 min ago  (unnamed)\n01890a5d      just now   ab c",
  );
  expect(sessionTable(sessions, now, 30)).toContain("01890a5d-ac9  (unnamed)\n01890a5d      ab c");
  expect(sessionTable(sessions, now, 7)).toBe("01890a5d\n01890a5d-ac9\n01890a5d\n");
  expect(sessionTable([], now, 80)).toBe("");
});

test("§7 a cut never splits a grapheme", () => {
  const family = "👩‍👩‍👧‍👦";
  expect(cutWidth(`ab${family}cdef`, 5)).toBe(`ab${family}…`);
  expect(cutWidth(`ab${family}cdef`, 4)).toBe("ab…");
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
