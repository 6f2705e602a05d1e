import { expect, test } from "bun:test";
import * as z from "zod";
import { ChatError, checkBatch, defineTool, type SchemaIssue, type ToolCall, toolsByName } from "./index.ts";

const input = z.object({ city: z.string() });
const named = (name: string) => defineTool({ name, description: "", input, run: async () => 1 });
const refusalOf = (make: () => unknown) => {
  try {
    make();
  } catch (thrown) {
    if (ChatError.isInstance(thrown)) return thrown;
  }
  throw new Error("no ChatError was thrown");
};

test("T0 a tool's name fits every provider: up to 64 characters with each dot as the two that it is on the wire", () => {
  for (const name of ["a", "a".repeat(64), `${"a".repeat(61)}.b`, "A.b_c-9"]) expect(named(name).name).toBe(name);
  for (const name of ["", "a b", "é", "a".repeat(65), `${"a".repeat(62)}.b`]) {
    const { code, message } = refusalOf(() => named(name));
    expect([code, message]).toEqual(["option_invalid", expect.stringContaining("is no tool name: use 1 to 64")]);
  }
});

test("L8 a schema that gives no JSON Schema, or fails to, is refused with the option that takes one", () => {
  const none = { "~standard": { version: 1, vendor: "t", validate: (value: unknown) => ({ value }) } } as const;
  for (const schema of [none, z.object({ n: z.bigint() })]) {
    const tool = { name: "look", description: "", input: schema, run: async () => 1 };
    const { code, message } = refusalOf(() => defineTool(tool as Parameters<typeof defineTool>[0]));
    expect([code, message]).toEqual([
      "option_invalid",
      expect.stringContaining("Pass inputJsonSchema to the tool look."),
    ]);
    expect(defineTool({ ...tool, inputJsonSchema: {} } as Parameters<typeof defineTool>[0]).name).toBe("look");
  }
});

test("C14 a batch is checked before any of it runs: authorize sees what is known and valid, and refuses only that", async () => {
  const tools = toolsByName([named("look")]);
  const seen: ToolCall[] = [];
  const requests = [
    { toolCallId: "1", toolName: "look", input: '{"city":"Ro\\ud83dme"}' },
    { toolCallId: "2", toolName: "none", input: "{}" },
    { toolCallId: "3", toolName: "look", input: "{" },
    { toolCallId: "4", toolName: "look", input: " " },
    { toolCallId: "5", toolName: "look", input: '{"city":"Oslo"}' },
  ];
  const checked = await checkBatch(requests, tools, async (batch) => {
    seen.push(...batch);
    return new Map(requests.slice(1).map((one) => [one.toolCallId, "not now"]));
  });
  expect(seen.map((one) => [one.toolCallId, one.input])).toEqual([
    ["1", { city: "Ro\ufffdme" }],
    ["5", { city: "Oslo" }],
  ]);
  const codes = checked.map((one): string => ("refusal" in one ? one.refusal.code : "allowed"));
  expect(codes).toEqual(["allowed", "tool_unknown", "tool_input", "tool_input", "tool_refused"]);
  const [, , broken, empty] = checked.map((one) => ("refusal" in one ? one.refusal.message : ""));
  expect([broken, empty]).toEqual([expect.stringContaining("are not JSON"), expect.stringContaining("city: ")]);
});

test("L8 what is no Standard Schema, such as a JSON Schema alone, is refused", () => {
  for (const schema of [undefined, null, { type: "object" }]) {
    const tool = { name: "look", description: "", input: schema, inputJsonSchema: {}, run: async () => 1 };
    const { code, message } = refusalOf(() => defineTool(tool as unknown as Parameters<typeof defineTool>[0]));
    expect([code, message]).toEqual([
      "option_invalid",
      expect.stringContaining("The tool look was given no Standard Schema."),
    ]);
  }
});

test("C14 a call with a reason that is none is refused all the same", async () => {
  const request = { toolCallId: "1", toolName: "look", input: '{"city":"Rome"}' };
  const reasons = new Map([["1", undefined]]) as unknown as Map<string, string>;
  const [checked] = await checkBatch([request], toolsByName([named("look")]), async () => reasons);
  expect(checked).toMatchObject({ refusal: { code: "tool_refused", message: "It is not allowed." } });
});

test("C14 what a tool does to its input, or its schema, leaves what the model wrote as it was", async () => {
  const taken = { "~standard": { version: 1, vendor: "t", validate: (value: unknown) => ({ value }) } } as const;
  const tool = defineTool<unknown>({
    name: "look",
    description: "",
    input: taken,
    inputJsonSchema: {},
    run: async () => 1,
  });
  const request = { toolCallId: "1", toolName: "look", input: '{"days":[1],"__proto__":{"x":1}}' };
  const [checked] = await checkBatch([request], toolsByName([tool]));
  if (!checked || !("tool" in checked)) throw new Error("the call was refused");
  const given = checked.input as { days: number[]; city?: string };
  given.days.push(2);
  given.city = "Rome";
  expect(JSON.stringify(checked.call.input)).toBe(request.input);
  expect(Object.keys(given)).toEqual(["days", "__proto__", "city"]);
});

test("C14 what does not fit is told with its place, the first five of it", async () => {
  const others = Array.from({ length: 9 }, (_, n): SchemaIssue => ({ message: `m${n}` }));
  const issues = [{ message: "odd", path: ["a", { key: 0 }, Symbol("s")] }, ...others] as const;
  const schema = { "~standard": { version: 1, vendor: "t", validate: () => ({ issues }) } } as const;
  const tool = defineTool({ name: "look", description: "", input: schema, inputJsonSchema: {}, run: async () => 1 });
  const [checked] = await checkBatch([{ toolCallId: "1", toolName: "look", input: "" }], toolsByName([tool]));
  expect(checked && "refusal" in checked && checked.refusal.message).toBe(
    "The arguments of look do not fit: a.0.Symbol(s): odd; m0; m1; m2; m3",
  );
});
