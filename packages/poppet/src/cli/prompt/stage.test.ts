import { expect, test } from "bun:test";
import type { Clock } from "@poppet/chat";
import fc from "fast-check";
import { screenOf } from "../../../test/screen.ts";
import { openThinking } from "../render/thinking.ts";
import { openDrawer } from "./draw.ts";
import { openStage } from "./stage.ts";

/** A stage, what reached the screen, and a clock that moves when told. */
function build(columns: number) {
  let bytes = "";
  let due: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    after(_ms, then) {
      due.push(then);
      return () => {
        due = due.filter((one) => one !== then);
      };
    },
  };
  const out = {
    write(text: string) {
      bytes += text;
    },
    flush: () => undefined,
  };
  const stage = openStage({
    out,
    clock,
    drawer: openDrawer(() => columns, false),
    style: ["", ""],
    columns: () => columns,
  });
  const tick = () => {
    const now = due;
    due = [];
    for (const then of now) then();
  };
  return { stage, out, tick, bytes: () => bytes, screen: () => textOf(bytes, columns) };
}

const textOf = async (bytes: string, columns: number) => (await screenOf(bytes, columns)).text;

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."ab cdefgh\n漢字ü") }),
  fc.constantFrom(
    "\n",
    "\n\n",
    "x".repeat(7),
    "漢漢漢漢",
    "word ",
    "\x1b[1mbold\x1b[0m",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
  ),
);
const step = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => ({ type: "write" as const, value })) },
  { weight: 1, arbitrary: fc.constant({ type: "open" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "close" as const }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("next: one", "次: 漢字漢字", null).map((value) => ({ type: "notice" as const, value })),
  },
);

test("C3 what is opened below an answer, and the notice there, leave the answer as it would have been", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), fc.integer({ min: 7, max: 24 }), async (steps, columns) => {
      const { stage, out, screen } = build(columns);
      let written = "";
      for (const one of steps) {
        if (one.type === "open" && !stage.opened) {
          stage.open();
          out.write("typed\r\nhere\x1b[A");
        } else if (one.type === "close" && stage.opened) {
          out.write("\r\x1b[J");
          stage.close();
        } else if (one.type === "notice") stage.notice(one.value);
        else if (one.type === "write") {
          written += one.value;
          stage.stdout.write(one.value);
          stage.stdout.flush();
        }
      }
      if (stage.opened) {
        out.write("\r\x1b[J");
        stage.close();
      }
      stage.notice(null);
      expect(await screen()).toBe(await textOf(written, columns));
    }),
    { numRuns: 600 },
  );
});

test("C3 C4 the indicator stands still while a line is open below it, and goes on", async () => {
  const { stage, out, tick, screen, bytes } = build(40);
  const thinking = openThinking({
    write: (value) => {
      stage.stderr.write(value);
      stage.stderr.flush();
    },
    columns: () => 40,
    highlight: false,
    clock: stage.clock,
  });
  thinking.above("A thought");
  thinking.show("Thinking");
  stage.open();
  out.write("You> half");
  const before = bytes();
  for (let i = 0; i < 100; i++) tick();
  expect(bytes()).toBe(before);
  expect(await screen()).toBe("A thought\nThinking.\nYou> half");
  out.write("\r\x1b[J");
  stage.close();
  expect(await screen()).toBe("A thought\nThinking..");
  thinking.hide();
  expect(await screen()).toBe("A thought");
});

test("C3 the notice moves along below, one row, cut to the width", async () => {
  const { stage, screen } = build(20);
  stage.stdout.write("first");
  stage.stdout.flush();
  stage.notice("next: a message that is longer than the screen");
  expect(await screen()).toBe("first\nnext: a message th…");
  stage.stdout.write(" and second\nthird");
  stage.stdout.flush();
  expect(await screen()).toBe("first and second\nthird\nnext: a message th…");
});

test("C3 after another program had the screen, the lines under way are written anew", async () => {
  const { stage, out, tick, screen } = build(40);
  stage.stdout.write("one\ntwo\nthr");
  stage.stdout.flush();
  stage.suspend();
  out.write("$ fg\n");
  let ticked = 0;
  stage.clock.after(1, () => ticked++);
  tick();
  expect(ticked).toBe(0);
  stage.restore();
  expect(ticked).toBe(1);
  stage.stdout.write("ee\n");
  stage.stdout.flush();
  expect(await screen()).toBe("one\ntwo\nthr\n$ fg\ntwo\nthree");
});
