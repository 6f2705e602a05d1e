import { expect, test } from "bun:test";
import * as z from "zod";
import { ChatError, defineTool } from "./index.ts";

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
