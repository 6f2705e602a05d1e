/**
 * The front matter of a `SKILL.md`, as the Agent Skills format has it (https://agentskills.io/specification). All of its
 * values are text: YAML's guesses at numbers, dates and truth are not made.
 */
import { isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from "yaml";
import { hint } from "../nearest.ts";

export interface FrontMatter {
  readonly fields: { readonly [name in FieldName]?: Field };
  /** What the format does not have; such a field changes nothing. */
  readonly unknown: readonly { readonly field: string; readonly line: number; readonly hint: string }[];
}

export interface Field {
  readonly value: Value;
  readonly line: number;
}

export type Value = string | readonly string[] | ReadonlyMap<string, string>;

const fieldNames = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"] as const;
type FieldName = (typeof fieldNames)[number];

/** Makes the error to throw; lines are the front matter's, from 1. */
type Broken = (wrong: string, line: number) => Error;

export function readFrontMatter(yaml: string, broken: Broken): FrontMatter {
  const lines = new LineCounter();
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const document = parseDocument(yaml, { schema: "failsafe", lineCounter: lines, prettyErrors: false });
  const error = document.errors[0] ?? document.warnings[0];
  if (error) throw broken(`not valid YAML: ${wordsOf(error)}`, lineOf(error.pos[0]));
  if (document.contents === null) return { fields: {}, unknown: [] };
  if (!isMap(document.contents)) throw broken("must have a field a line, as in name: weekly-review", 1);
  const fields: { [name in FieldName]?: Field } = {};
  const unknown: FrontMatter["unknown"][number][] = [];
  for (const pair of document.contents.items) {
    const line = lineOf(startOf(pair.key) ?? 0);
    const name = textOf(pair.key);
    if (name === null) throw broken("a field's name must be plain text", line);
    const known = fieldNames.find((one) => one === name);
    if (known === undefined) unknown.push({ field: name, line, hint: hint(name, fieldNames) });
    else fields[known] = { value: fieldValue(known, pair.value, (wrong) => broken(`${known} ${wrong}`, line)), line };
  }
  return { fields, unknown };
}

function fieldValue(name: FieldName, node: unknown, wrong: (what: string) => Error): Value {
  const text = textOf(node);
  if (name === "metadata") {
    if (isMap(node)) return new Map(node.items.map((pair) => metadataOf(pair, wrong)));
    if (text !== "") throw wrong("must be names with text");
    return new Map();
  }
  if (text !== null) return text;
  if (name !== "allowed-tools" || !isSeq(node)) throw wrong("must be text");
  return node.items.map((item) => {
    const tool = textOf(item);
    if (tool === null) throw wrong("must be a text or a list of texts");
    return tool;
  });
}

function metadataOf(pair: Pair, wrong: (what: string) => Error): [string, string] {
  const [key, value] = [textOf(pair.key), textOf(pair.value)];
  if (key === null || value === null) throw wrong("must be names with text");
  return [key, value];
}

function textOf(node: unknown): string | null {
  return isScalar(node) && typeof node.value === "string" ? node.value : null;
}

function startOf(node: unknown): number | undefined {
  return (node as { readonly range?: readonly [number, number, number] | null } | null)?.range?.[0];
}

/** The parser's words, and for the mistake that everybody makes what to do. */
function wordsOf({ code, message }: { readonly code: string; readonly message: string }): string {
  const line = message.split("\n", 1)[0] ?? "";
  return code === "BLOCK_AS_IMPLICIT_KEY" ? `${line}; put a text that has a colon in quotes` : line;
}
