import { expect, test } from "bun:test";
import type { Clock } from "@poppet/chat";
import fc from "fast-check";
import { screenOf } from "../../../test/screen.ts";
import { openThinking, type Thinking } from "./thinking.ts";

/** A clock that moves when told, and a screen that shows what a person sees. */
function stage(columns: number, highlight = false) {
  let due: (() => void) | undefined;
  let bytes = "";
  const clock: Clock = {
    now: () => 0,
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
  thinking.show();
  thinking.above("First thought, ");
  thinking.above("going on");
  expect(await screen()).toBe("First thought, going on\nThinking.");
});

test("C4 the dots cycle where there are fewer than 256 colours, and no colour is sent", async () => {
  const { thinking, tick, screen, bytes } = stage(40);
  thinking.show();
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
  thinking.show();
  const first = bytes();
  tick();
  expect(await screen()).toBe("Thinking...");
  expect(bytes().slice(first.length)).not.toBe(`\r\x1b[K${first}`);
});

test("C4 hidden, it leaves nothing, and its timer stops", async () => {
  const { thinking, tick, screen, ticking } = stage(40);
  thinking.above("Thought");
  thinking.show();
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
      thinking.show();
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
