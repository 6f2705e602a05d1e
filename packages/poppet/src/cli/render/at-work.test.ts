import { expect, test } from "bun:test";
import type { Json } from "@poppet/chat";
import { openAtWork, wordsOf } from "./at-work.ts";

const call = (toolName: string, input: Json, toolCallId = "1") => ({ toolCallId, toolName, input });

test.each<[string, Json, string]>([
  ["poppet_web.fetch_page", { url: "https://example.com/" }, "Reading https://example.com/"],
  ["poppet_web__search_web", { query: "bun releases" }, "Searching bun releases"],
  ["search_sessions", { query: "a\x1b[2Jb\nc" }, "Searching ab c"],
  ["read_note", { name: "plan.md" }, "Reading plan.md"],
  ["poppet_history.read_session", { session_id: "1" }, "Using poppet_history.read_session"],
  ["fetch_page", "no object", "Using fetch_page"],
  ["search_web", { query: 7 }, "Using search_web"],
  ["weather", { city: "Oslo" }, "Using weather"],
])("C4 the indicator at %s %j: %s", (name, input, words) => {
  expect(wordsOf(call(name, input))).toBe(words);
});

test("C4 what a model sends without end is cut", () => {
  expect(wordsOf(call("search_web", { query: "x".repeat(1_000_000) })).length).toBe(300);
});

test("C4 of tools at work together it shows the one started last that still works, then the model", () => {
  const work = openAtWork();
  expect(work.words()).toBe("Thinking");
  work.start(call("weather", {}, "1"));
  work.start(call("search_web", { query: "x" }, "2"));
  expect(work.words()).toBe("Searching x");
  work.end(call("search_web", {}, "2"));
  expect(work.words()).toBe("Using weather");
  work.end(call("weather", {}, "1"));
  work.end(call("never started", {}, "3"));
  expect(work.words()).toBe("Thinking");
});
