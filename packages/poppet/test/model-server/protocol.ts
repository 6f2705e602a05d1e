/** What a protocol is to the server: its paths, its checks of a request, its events, its errors. */
import type { ErrorReply, Finish, ReplyUsage } from "./script.ts";

export type ProtocolName = "openai" | "openai-compatible" | "anthropic" | "gemini";

export interface Protocol {
  readonly name: ProtocolName;
  /** What a client's base URL ends with. */
  readonly basePath: string;
  matches(path: string): boolean;
  /** The key that came with the request. */
  key(headers: Headers, path: string): string | null;
  /** What the real service would refuse, or null. */
  problem(body: Fields): string | null;
  errorBody(status: number, error: ErrorReply): string;
  encoder(request: { readonly body: Fields; readonly path: string; readonly number: number }): Encoder;
}

/** Each method gives the text of the events to write; several strings are several writes. */
export interface Encoder {
  start(): readonly string[];
  text(delta: string): readonly string[];
  /** One section, from its beginning to its end. */
  reasoning(deltas: readonly string[]): readonly string[];
  toolCall(call: { readonly id: string; readonly name: string; readonly pieces: readonly string[] }): readonly string[];
  error(error: ErrorReply): readonly string[];
  finish(finish: Finish, usage: ReplyUsage | null): readonly string[];
}

export type Fields = { readonly [key: string]: unknown };

export function sse(data: unknown, event?: string): string {
  return `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function bearer(headers: Headers): string | null {
  return /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Two of one name, or one that the pattern does not take. */
export function namesProblem(names: readonly unknown[], pattern: RegExp): string | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (typeof name !== "string" || !pattern.test(name))
      return `Invalid tool name ${JSON.stringify(name)}: must match ${pattern.source}`;
    if (seen.has(name)) return `Duplicate tool name ${name}`;
    seen.add(name);
  }
  return null;
}
