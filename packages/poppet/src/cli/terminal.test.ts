import { expect, test } from "bun:test";
import { colorDepth, knowsLinks } from "./terminal.ts";

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
  [{ TERM: "dumb", FORCE_COLOR: "1" }, 16],
  [{ FORCE_COLOR: "3" }, 16_777_216],
  [{ TERM: "xterm-256color", FORCE_COLOR: "true" }, 16],
  [{ TERM: "xterm-256color", FORCE_COLOR: "0" }, 0],
  [{ TERM: "xterm-256color", FORCE_COLOR: "" }, 256],
] as const)("C4 the environment %j has %d colours", (env, colors) => {
  expect(colorDepth(env)).toBe(colors);
});

test.each([
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-kitty" }, true],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, true],
  [{ TERM: "xterm-256color", VTE_VERSION: "7600" }, true],
  [{ TERM: "xterm-256color", VTE_VERSION: "4205" }, false],
  [{ TERM: "xterm-256color", WT_SESSION: "x" }, true],
  [{ TERM: "screen-256color", VTE_VERSION: "7600" }, false],
  [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3a" }, false],
  [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.5a" }, true],
  [{ TERM: "dumb", TERM_PROGRAM: "WezTerm" }, false],
  [{}, false],
] as const)("C1 a terminal of %j knows links: %p", (env, known) => {
  expect(knowsLinks(env)).toBe(known);
});
