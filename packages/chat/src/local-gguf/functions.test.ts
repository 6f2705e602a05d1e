import { expect, test } from "bun:test";
import { grammarSchema, withoutAbsent } from "./functions.ts";

const schema = {
  type: "object",
  properties: {
    city: { type: "string", maxLength: 20, pattern: "^[A-Z]" },
    days: { type: "array", items: { type: "integer", minimum: 1 }, minItems: 1 },
    unit: { anyOf: [{ const: "c" }, { const: "f" }] },
    place: { type: "object", properties: { zip: { type: ["string", "null"] } }, required: ["zip"] },
  },
  required: ["city", "place"],
  additionalProperties: false,
};

test("C14 a tool's schema becomes what the engine's grammars know", () => {
  expect<unknown>(grammarSchema(schema)).toEqual({
    type: "object",
    properties: {
      city: { type: "string", maxLength: 20 },
      days: { oneOf: [{ type: "array", items: { type: "integer" }, minItems: 1 }, { type: "null" }] },
      unit: { oneOf: [{ oneOf: [{ const: "c" }, { const: "f" }] }, { type: "null" }] },
      place: { type: "object", properties: { zip: { type: ["string", "null"] } } },
    },
  });
  expect<unknown>(grammarSchema({ type: "object" })).toEqual({
    type: "object",
    properties: {},
    additionalProperties: true,
  });
});

test("C14 an optional argument that the model left null is left out, a required one stays", () => {
  const given = { city: "Rome", days: null, unit: "c", place: { zip: null } };
  expect(withoutAbsent(given, schema)).toEqual({ city: "Rome", unit: "c", place: { zip: null } });
});
