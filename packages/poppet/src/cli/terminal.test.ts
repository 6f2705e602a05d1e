import { expect, test } from "bun:test";
import { colorDepth } from "./terminal.ts";

test.each([
  [{ TERM: "xterm-256color" }, 256],
  [{ TERM: "screen-256color" }, 256],
  [{ TERM: "xterm" }, 16],
  [{ TERM: "linux" }, 16],
  [{ TERM: "xterm", COLORTERM: "truecolor" }, 16_777_216],
  [{ TERM: "dumb", COLORTERM: "truecolor" }, 0],
  [{}, 0],
  [{ TERM: "xterm-256color", NO_COLOR: "1", FORCE_COLOR: "3" }, 0],
  [{ TERM: "xterm-256color", NO_COLOR: "" }, 256],
  [{ TERM: "dumb", FORCE_COLOR: "2" }, 256],
  [{ TERM: "xterm-256color", FORCE_COLOR: "0" }, 0],
  [{ TERM: "xterm-256color", FORCE_COLOR: "" }, 256],
] as const)("C4 the environment %j has %d colours", (env, colors) => {
  expect(colorDepth(env)).toBe(colors);
});
