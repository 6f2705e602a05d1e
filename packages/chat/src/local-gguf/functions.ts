/**
 * Tool definitions for the engine, which makes the model's arguments fit by a grammar. Its grammars know a part of JSON
 * Schema; what they do not know is left out, so arguments are still checked by the tool's own schema afterwards.
 */
import type { ChatModelFunctions, GbnfJsonSchema } from "node-llama-cpp";
import { type Tool, wireName } from "../tools.ts";

type Schema = { readonly [key: string]: unknown };

export function modelFunctions(tools: readonly Tool[]): ChatModelFunctions {
  return Object.fromEntries(
    tools.map((tool) => [
      wireName(tool.name),
      { description: tool.description, params: grammarSchema(tool.inputJsonSchema) },
    ]),
  );
}

const anyScalar = { type: ["string", "number", "boolean", "null"] } as const;
const scalars = ["string", "number", "integer", "boolean", "null"];
/** The other keywords that the grammars know. */
const kept = ["description", "minLength", "maxLength", "minItems", "maxItems"];

export function grammarSchema(schema: unknown): GbnfJsonSchema {
  if (!isObject(schema)) return anyScalar;
  const common = Object.fromEntries(kept.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
  const make = (known: Schema) => ({ ...common, ...known }) as GbnfJsonSchema;
  if ("const" in schema) return make({ const: schema.const });
  if (Array.isArray(schema.enum)) return make({ enum: schema.enum });
  const choices = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(choices)) return make({ oneOf: choices.map(grammarSchema) });
  if (Array.isArray(schema.type) && schema.type.every((one) => scalars.includes(one))) {
    return make({ type: schema.type });
  }
  if (schema.type === "array") return make({ type: "array", items: grammarSchema(schema.items) });
  if (schema.type === "object" || isObject(schema.properties)) return make(objectSchema(schema));
  return make(typeof schema.type === "string" && scalars.includes(schema.type) ? { type: schema.type } : anyScalar);
}

/** The grammar makes the model write every property, so one that may be left out may be null instead. */
function objectSchema(schema: Schema): Schema {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const open = Object.keys(properties).length === 0 && schema.additionalProperties !== false;
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, value]) => {
        const known = grammarSchema(value);
        return [key, isRequired(schema, key) ? known : { oneOf: [known, { type: "null" }] }];
      }),
    ),
    ...(open ? { additionalProperties: true } : {}),
  };
}

/** Arguments as the tool's own schema wants them: a property that may be left out and is null is left out. */
export function withoutAbsent(value: unknown, schema: unknown): unknown {
  if (!isObject(value) || !isObject(schema) || !isObject(schema.properties)) return value;
  const properties = schema.properties;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => one !== null || isRequired(schema, key) || properties[key] === undefined)
      .map(([key, one]) => [key, withoutAbsent(one, properties[key])]),
  );
}

function isRequired(schema: Schema, key: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(key);
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
