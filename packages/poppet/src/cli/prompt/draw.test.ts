import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import fc from "fast-check";
import { graphemes } from "../graphemes.ts";
import { openDrawer, reflows } from "./draw.ts";
import { newEditor } from "./editor.ts";
import { type Area, layout, type PromptStyle } from "./layout.ts";
import { lineOf } from "./line.ts";

const style: PromptStyle = { label: ["\x1b[1m", "\x1b[0m"], hint: ["\x1b[2m", "\x1b[0m"] };

async function shown(bytes: string, area: Area) {
  const terminal = new Terminal({ cols: area.columns, rows: area.rows, allowProposedApi: true, scrollback: 1_000 });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? "");
  const cursor = { row: active.baseY + active.cursorY, column: active.cursorX };
  terminal.dispose();
  return { rows: rows.join("\n").trimEnd(), cursor };
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("漢", "字", "é", "e\u0301", "👩‍👩‍👧", "😀", "🇩🇪", "❤️", " "),
      fc.string({ minLength: 1, maxLength: 9, unit: fc.constantFrom(..."abc xyz") }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const step = fc.record({
  text,
  at: fc.nat(),
  hints: fc.array(fc.constantFrom("a hint", "漢字 in a hint that is long"), { maxLength: 3 }),
});

function frameOf({ text: given, at, hints }: { text: string; at: number; hints: readonly string[] }, area: Area) {
  const parts = graphemes(given);
  const cursor = parts.slice(0, at % (parts.length + 1)).join("").length;
  return layout({ ...newEditor, line: { text: given, cursor }, hints }, area, style);
}

test("C3 a frame drawn over others looks as if it had been drawn alone, and the cursor is where it should be", async () => {
  const areas = fc.record({ columns: fc.constantFrom(7, 8, 20, 40), rows: fc.constantFrom(4, 24) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), areas, async (steps, area) => {
      const drawer = openDrawer(() => area.columns, false);
      const over = steps.map((one) => drawer.draw(frameOf(one, area))).join("");
      const last = frameOf(steps.at(-1) ?? { text: "", at: 0, hints: [] }, area);
      const alone = openDrawer(() => area.columns, false).draw(last);
      const screen = await shown(`before\r\n${over}`, area);
      expect(screen.rows.replace(/\n+$/, "")).toBe((await shown(`before\r\n${alone}`, area)).rows);
      expect(over).not.toMatch(/\x1b\[[23]J/);
      // The first frames may have scrolled a small screen.
      const { cursor } = await shown(over, area);
      expect(cursor.column).toBe(last.cursor.column);
    }),
    { numRuns: 400 },
  );
});

test("C3 an erased frame leaves what was above it, and the cursor at its beginning", async () => {
  await fc.assert(
    fc.asyncProperty(step, fc.constantFrom(7, 40), async (one, columns) => {
      const area = { columns, rows: 50 };
      const drawer = openDrawer(() => columns, false);
      const bytes = `above\r\n${drawer.draw(frameOf(one, area))}${drawer.erase()}`;
      expect(await shown(bytes, area)).toEqual({ rows: "above", cursor: { row: 1, column: 0 } });
    }),
    { numRuns: 200 },
  );
});

test.each([7, 40, 80, 200])(
  "C3 wide characters keep their columns at %d columns, also where the terminal takes them for narrow",
  async (columns) => {
    const area = { columns, rows: 50 };
    const parts = ["漢", "👩‍👩‍👧", "x", "🇩🇪", "é", "字"];
    for (const [i] of parts.entries()) {
      const editor = { ...newEditor, line: { text: parts.join(""), cursor: parts.slice(0, i).join("").length } };
      const { cursor } = await shown(openDrawer(() => columns, false).draw(layout(editor, area, style)), area);
      let [row, column] = [0, 5];
      for (const width of [2, 2, 1, 2, 1, 2].slice(0, i + 1)) {
        if (column + width > columns) [row, column] = [row + 1, 0];
        if (width === [2, 2, 1, 2, 1, 2][i] && i === [2, 2, 1, 2, 1, 2].length) break;
        column += width;
      }
      column -= [2, 2, 1, 2, 1, 2][i] ?? 0;
      expect(cursor).toEqual({ row, column });
    }
  },
);

test("C3 a message that is higher than the screen is shown around the cursor", () => {
  const long = Array.from({ length: 100 }, (_, i) => `word${i} `).join("");
  const { rows, cursor } = layout({ ...newEditor, line: lineOf(long) }, { columns: 20, rows: 6 }, style);
  expect(rows.map((row) => row.text).join("")).toEndWith("word98 word99 ");
  expect(rows).toHaveLength(5);
  expect(cursor.row).toBe(4);
  const top = layout({ ...newEditor, line: { text: long, cursor: 0 } }, { columns: 20, rows: 6 }, style);
  expect(top.rows[0]?.text).toContain("You> ");
});

test("C3 rows that a narrower terminal has wrapped are gone up over, where it is one that does", () => {
  let columns = 40;
  const drawer = openDrawer(() => columns, true);
  drawer.draw(layout({ ...newEditor, line: lineOf("x".repeat(60)) }, { columns, rows: 24 }, style));
  columns = 20;
  drawer.resized();
  // A row of 40, wrapped to two, and the cursor in the second of the other's two.
  expect(drawer.erase()).toBe("\x1b[3A\r\x1b[J");
});

test.each([
  [{ TMUX: "/tmp/x", STY: "1" }, true],
  [{ STY: "1", VTE_VERSION: "7" }, false],
  [{ VTE_VERSION: "7" }, true],
  [{ TERM_PROGRAM: "iTerm.app" }, true],
  [{ TERM: "xterm" }, false],
] as const)("C3 %j wraps lines anew: %s", (env, expected) => {
  expect(reflows(env)).toBe(expected);
});
