/** The server that other tests lean on refuses what the real services refuse. */
import { describe, expect, test } from "bun:test";
import { protocols } from "./index.ts";

const problemOf = (name: string, body: object) =>
  protocols.find((one) => one.name === name)?.problem({ stream: true, model: "m", ...body });
const user = { role: "user", content: "Hi" };

describe("§6 Anthropic", () => {
  const ask = (...messages: object[]) => problemOf("anthropic", { max_tokens: 5, messages });
  const use = (id: string) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "t", input: {} }] });
  const result = (id: string) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] });
  test("§6 takes what is right", () => {
    expect(ask(user, use("a"), result("a"))).toBeNull();
  });
  test.each([
    ["no messages", []],
    ["two users in a row", [user, user]],
    ["the assistant first", [use("a")]],
    ["a call without its result", [user, use("a"), user]],
    ["a call at the end", [user, use("a")]],
    ["a result without its call", [user, use("a"), result("b")]],
    ["an ID of wrong letters", [user, use("a|b"), result("a|b")]],
    ["an ID twice", [user, use("a"), result("a"), use("a"), result("a")]],
    ["empty text", [{ role: "user", content: [{ type: "text", text: "" }] }]],
    [
      "thinking that it did not sign",
      [user, { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "forged" }] }],
    ],
  ])("§6 refuses %s", (_name, messages) => {
    expect(ask(...messages)).toBeString();
  });
  test("§6 refuses a name with a dot, and a request without max_tokens", () => {
    expect(problemOf("anthropic", { max_tokens: 5, messages: [user], tools: [{ name: "a.b" }] })).toBeString();
    expect(problemOf("anthropic", { messages: [user] })).toBeString();
  });
});

describe("§6 OpenAI Responses", () => {
  const ask = (...input: object[]) => problemOf("openai", { store: false, input });
  const call = { type: "function_call", call_id: "a", name: "t", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "a", output: "x" };
  test("§6 takes what is right", () => {
    expect(
      ask(
        { role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { type: "reasoning", id: "r", encrypted_content: "e" },
        call,
        output,
      ),
    ).toBeNull();
  });
  test.each([
    ["a call without its output", [call]],
    ["an output without its call", [output]],
    ["an output before its call", [output, call]],
    ["a name with a dot", [{ ...call, name: "a.b" }, output]],
    ["arguments that are not JSON", [{ ...call, arguments: "{" }, output]],
    ["reasoning that is not stored", [{ type: "reasoning", id: "r" }, call, output]],
    ["a reference to what is not stored", [{ type: "item_reference", id: "x" }]],
  ])("§6 refuses %s", (_name, input) => {
    expect(ask(...input)).toBeString();
  });
});

describe("§6 Chat Completions", () => {
  const ask = (...messages: object[]) => problemOf("openai-compatible", { messages });
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "t", arguments: "{}" } }],
  };
  const result = { role: "tool", tool_call_id: "a", content: "x" };
  test("§6 takes what is right", () => {
    expect(ask(user, call, result, user)).toBeNull();
  });
  test.each([
    ["a call without its result", [user, call]],
    ["a message between call and result", [user, call, user, result]],
    ["a result without its call", [user, result]],
    ["an assistant without a word", [user, { role: "assistant", content: "" }]],
  ])("§6 refuses %s", (_name, messages) => {
    expect(ask(...messages)).toBeString();
  });
});

describe("§6 Gemini", () => {
  const ask = (...contents: object[]) => problemOf("gemini", { contents });
  const asked = { role: "user", parts: [{ text: "Hi" }] };
  const call = { role: "model", parts: [{ functionCall: { name: "t", args: {} } }] };
  const answer = { role: "user", parts: [{ functionResponse: { name: "t", response: {} } }] };
  test("§6 takes what is right", () => {
    expect(ask(asked, call, answer)).toBeNull();
  });
  test.each([
    ["a call without its response", [asked, call]],
    ["a response without its call", [asked, answer]],
    [
      "another function's response",
      [asked, call, { role: "user", parts: [{ functionResponse: { name: "u", response: {} } }] }],
    ],
    ["a role of its own", [{ role: "assistant", parts: [{ text: "x" }] }]],
    ["a part without data", [{ role: "user", parts: [{}] }]],
  ])("§6 refuses %s", (_name, contents) => {
    expect(ask(...contents)).toBeString();
  });
});

test("§6 runs as a process that prints its URL and its requests", async () => {
  const child = Bun.spawn([process.execPath, new URL("./main.ts", import.meta.url).pathname], { stdout: "pipe" });
  const lines = linesOf(child.stdout);
  const url = (await lines.next()).value;
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages: [user] }),
  });
  expect(await response.text()).toContain('"content":"lo."');
  expect(JSON.parse((await lines.next()).value ?? "")).toMatchObject({
    number: 1,
    protocol: "openai-compatible",
    refusal: null,
  });
  child.kill();
  await child.exited;
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const chunk of stream.pipeThrough(
    new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>,
  )) {
    text += chunk;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
