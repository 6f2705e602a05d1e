import { expect, test } from "bun:test";
import type { Clock } from "@poppet/chat";
import fc from "fast-check";
import { screenOf } from "../../../test/screen.ts";
import { openThinking, type Thinking } from "./thinking.ts";

/** A clock that moves when told, and a screen that shows what a person sees. */
function stage(columns: number, highlight = false) {
  let due: (() => void) | undefined;
  let bytes = "";
  let now = 0;
  const clock: Clock = {
    now: () => now,
    after(_ms, then) {
      due = then;
      return () => {
        due = undefined;
      };
    },
  };
  const write = (text: string) => {
    bytes += text;
  };
  const thinking: Thinking = openThinking({ write, columns: () => columns, highlight, clock });
  return {
    thinking,
    tick: () => due?.(),
    wait(ms: number) {
      now += ms;
      due?.();
    },
    ticking: () => due !== undefined,
    bytes: () => bytes,
    screen: () => textOf(bytes, columns),
  };
}

async function textOf(bytes: string, columns: number): Promise<string> {
  return (await screenOf(bytes, columns)).text;
}

test("C4 the indicator stands on its own line below the text above it", async () => {
  const { thinking, screen } = stage(40);
  thinking.show("Thinking");
  thinking.above("First thought, ");
  thinking.above("going on");
  expect(await screen()).toBe("First thought, going on\nThinking.");
});

test("C4 the dots cycle where there are fewer than 256 colours, and no colour is sent", async () => {
  const { thinking, tick, screen, bytes } = stage(40);
  thinking.show("Thinking");
  const seen = [await screen()];
  for (let i = 0; i < 3; i++) {
    tick();
    seen.push(await screen());
  }
  expect(seen).toEqual(["Thinking.", "Thinking..", "Thinking...", "Thinking."]);
  expect(bytes()).not.toContain("\x1b[38");
});

test("C4 in 256 colours a highlight moves over the text", async () => {
  const { thinking, tick, screen, bytes } = stage(40, true);
  thinking.show("Thinking");
  const first = bytes();
  tick();
  expect(await screen()).toBe("Thinking...");
  expect(bytes().slice(first.length)).not.toBe(`\r\x1b[K${first}`);
});

test("C4 after ten seconds it tells the time, which begins anew with other words and after an answer", async () => {
  const { thinking, wait, screen } = stage(40, true);
  thinking.show("Thinking");
  wait(9_999);
  expect(await screen()).toBe("Thinking...");
  thinking.above("A thought");
  wait(1);
  expect(await screen()).toBe("A thought\nThinking... 10 s");
  wait(65_000);
  thinking.show("Thinking");
  expect(await screen()).toBe("A thought\nThinking... 1 min 15 s");
  thinking.show("Searching the web");
  expect(await screen()).toBe("A thought\nSearching the web...");
  wait(10_000);
  thinking.hide();
  thinking.show("Searching the web");
  expect(await screen()).toBe("A thought\nSearching the web...");
});

test.each([true, false])(
  "C4 words that do not fit are cut, and the time after them is not (highlight: %p)",
  async (on) => {
    const words = "Reading https://example.com/漢字漢字漢字漢字";
    for (const columns of [7, 11, 20, 21, 40, 60]) {
      const { thinking, wait, screen } = stage(columns, on);
      thinking.show(words);
      wait(11_000);
      wait(0);
      const seen = await screen();
      expect(seen).not.toContain("\n");
      expect(Bun.stringWidth(seen)).toBeLessThan(columns);
      if (columns >= 20) expect(seen).toMatch(/^Reading.*\.\.\. 11 s$/);
    }
  },
);

test("C4 hidden, it leaves nothing, and its timer stops", async () => {
  const { thinking, tick, screen, ticking } = stage(40);
  thinking.above("Thought");
  thinking.show("Thinking");
  tick();
  thinking.hide();
  expect(await screen()).toBe("Thought");
  expect(ticking()).toBe(false);
});

test("C4 what stands above is what it would be without the indicator, at any width", async () => {
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."ab cdefgh\n漢字ü") }),
    fc.constantFrom("\n", "\n\n", "x".repeat(7), "漢漢漢漢", "word "),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), fc.integer({ min: 7, max: 24 }), async (parts, columns) => {
      const { thinking, tick, screen } = stage(columns);
      thinking.show("Thinking");
      for (const text of parts) {
        thinking.above(text);
        tick();
      }
      thinking.hide();
      expect(await screen()).toBe(await textOf(parts.join(""), columns));
    }),
    { numRuns: 300 },
  );
});
