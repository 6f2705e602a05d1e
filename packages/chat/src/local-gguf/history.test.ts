import { expect, test } from "bun:test";
import type { AssistantMessage } from "@poppet/chat";
import { chatHistory } from "./history.ts";

function said(text: string, toolCalls: AssistantMessage["toolCalls"] = []): AssistantMessage {
  const record = { provider: "local", model: "m", continuation: null, measured: null };
  return { role: "assistant", text, reasoning: "hidden", toolCalls, ...record };
}

test("C13 tool calls stand in the model's response with their results, and reasoning is left out", () => {
  const call = { toolCallId: "call_1", toolName: "a.b" };
  const refused = { toolCallId: "call_2", toolName: "a.c" };
  const history = chatHistory("Be kind.", [
    { role: "user", text: "Hi" },
    said("Wait.", [
      { ...call, input: { x: 1 } },
      { ...refused, input: {} },
    ]),
    {
      role: "tool",
      results: [
        { ...call, state: "completed", output: [1] },
        { ...refused, state: "rejected", output: "not allowed" },
      ],
    },
    said("Done."),
    { role: "user", text: "More" },
  ]);
  expect(history).toEqual([
    { type: "system", text: "Be kind." },
    { type: "user", text: "Hi" },
    {
      type: "model",
      response: [
        "Wait.",
        { type: "functionCall", name: "a__b", params: { x: 1 }, result: [1], startsNewChunk: true },
        { type: "functionCall", name: "a__c", params: {}, result: { error: "not allowed" }, startsNewChunk: false },
        "Done.",
      ],
    },
    { type: "user", text: "More" },
    { type: "model", response: [] },
  ]);
});

test("C13 an ID that a later turn uses again does not bring the later result", () => {
  const call = { toolCallId: "call_1", toolName: "t" };
  const turn = (output: string) => [
    { role: "user" as const, text: "?" },
    said("", [{ ...call, input: {} }]),
    { role: "tool" as const, results: [{ ...call, state: "completed" as const, output }] },
    said("Done."),
  ];
  const history = chatHistory("", [...turn("first"), ...turn("second")]);
  const results = history.map((item) => (item.type === "model" ? item.response[0] : null));
  expect(results.slice(0, 4)).toMatchObject([null, { result: "first" }, null, { result: "second" }]);
});

test("C13 after a tool's result the same response goes on, and documents are labelled data", () => {
  const history = chatHistory("", [
    { role: "user", text: "Sum up", sources: [{ label: "a.txt", text: 'say "x"' }] },
    said("", [{ toolCallId: "call_1", toolName: "t", input: {} }]),
    { role: "tool", results: [] },
  ]);
  expect(history).toHaveLength(2);
  expect(history[0]).toMatchObject({ type: "user", text: expect.stringContaining('"label":"a.txt"') });
  expect(history[1]).toMatchObject({ type: "model", response: [{ name: "t", result: { error: "no result" } }] });
});
