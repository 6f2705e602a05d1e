import { expect, test } from "bun:test";
import { nearest } from "./nearest.ts";

test.each([
  ["sesions", ["send", "sessions", "search"], "sessions"],
  ["log_reasoning", ["logReasoning"], "logReasoning"],
  ["opnai", ["openai", "local"], "openai"],
  ["naem", ["name", "time"], "name"],
  ["banana", ["openai", "local"], null],
  ["", ["a"], null],
])("S0 nearest to %j of %j is %j", (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});
