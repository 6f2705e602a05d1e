/**
 * Holds parsed settings against the table. The first thing wrong is thrown as `config_invalid`, or the source's own code,
 * naming the file, the line, the key, what is allowed and the nearest right spelling; never a value, which may be a
 * secret.
 */
import { PoppetError } from "../error.ts";
import { hint } from "../nearest.ts";
import type { Named, Rule, Table } from "./table.ts";

export interface Source {
  readonly file: string;
  readonly text: string;
  /** What a fault is called; `config_invalid` where it is not said. */
  readonly code?: "config_invalid" | "project_invalid";
}

export function checkSettings(value: unknown, shape: Table, source: Source): void {
  checkTable(value, shape, [], source);
}

function checkTable(value: unknown, shape: Table | Named, path: readonly string[], source: Source): void {
  if (!isTable(value)) throw invalid(source, path, `must be a table: write its settings under [${path.join(".")}]`);
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    const expected = shape.kind === "named" ? namedShape(shape, key, at, source) : knownShape(shape, key, at, source);
    if (expected.kind !== "value") checkTable(inner, expected, at, source);
    else if (!expected.check(inner)) throw wrongValue(source, at, expected, inner);
  }
}

function wrongValue(source: Source, path: readonly string[], rule: Rule, given: unknown): PoppetError {
  const { each } = rule;
  const index = each && Array.isArray(given) ? given.findIndex((entry) => !each(entry)) : -1;
  if (!Array.isArray(given) || index < 0) return invalid(source, path, mustBe(rule, given));
  return invalid(source, path, `${mustBe(rule, given)}; entry ${index + 1} is none`, given[index]);
}

/** What is allowed, with the nearest where there are few; not what was given. */
export function mustBe({ allowed, values = [] }: Rule, given: unknown): string {
  return `must be ${allowed}${typeof given === "string" ? hint(given, values) : ""}`;
}

function namedShape(shape: Named, key: string, at: readonly string[], source: Source): Table {
  if (shape.check(key)) return shape.each;
  throw invalid(source, at, `is no setting: a name here is ${shape.allowed}`);
}

function knownShape(shape: Table, key: string, at: readonly string[], source: Source): Rule | Table | Named {
  const keys = Object.keys(shape.keys);
  const found = keys.includes(key) ? shape.keys[key] : undefined;
  if (found !== undefined) return found;
  throw invalid(source, at, `is no setting: known here are ${keys.join(", ")}${hint(key, keys)}`);
}

function invalid(source: Source, path: readonly string[], wrong: string, entry?: unknown): PoppetError {
  const line = lineOf(source.text, path, entry);
  const place = line === null ? source.file : `${source.file}:${line}`;
  return fault(source, `${place}: ${path.map(quoted).join(".")} ${wrong}`);
}

/** A project's fault is seen only where the project is asked for. */
export function fault({ code = "config_invalid" }: Source, message: string): PoppetError {
  return new PoppetError(code, message, { exitCode: code === "config_invalid" ? 1 : 2 });
}

function quoted(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

export function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The line that sets the path, where a plain reading of headers and keys finds it; of a list's entry, its own. */
function lineOf(text: string, path: readonly string[], entry?: unknown): number | null {
  const line = lineOfKey(text, path);
  if (line === null || typeof entry !== "string") return line;
  const below = text.split("\n").slice(line - 1);
  const down = below.findIndex((one) => one.includes(JSON.stringify(entry)) || one.includes(`'${entry}'`));
  return line + Math.max(0, down);
}

function lineOfKey(text: string, path: readonly string[]): number | null {
  let header: readonly string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const table = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    const key = /^\s*([^=#[]+?)\s*=/.exec(line)?.[1];
    if (table !== undefined) header = parts(table);
    const here = key === undefined ? header : [...header, ...parts(key)];
    if (table === undefined && key === undefined) continue;
    if (path.every((part, i) => part === here[i])) return index + 1;
    if (key !== undefined && line.includes("{") && here.every((part, i) => part === path[i])) return index + 1;
  }
  return null;
}

function parts(dotted: string): readonly string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([^.\s"']+)/g)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? "",
  );
}
