/** What the scripted model server answers, in terms of no protocol: one script serves all four. Plain JSON. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Script {
  /** One per request, in order. */
  readonly replies: readonly Reply[];
  /** What follows the last: `error` (default) answers 500, `repeat` starts again at the first. */
  readonly afterLast?: "error" | "repeat";
  /** What `GET /models` lists. */
  readonly models?: readonly string[];
  /** When set, a request with another key is answered 401. */
  readonly key?: string;
}

export type Reply = StreamReply | HttpReply | NoReply;

export interface StreamReply {
  readonly parts: readonly Part[];
  /** Default: `tool-calls` with a tool call among the parts, else `stop`. Null: the stream ends without one. */
  readonly finish?: Finish | null;
  /** Null: none is reported. Default: 11 in, 7 out. */
  readonly usage?: ReplyUsage | null;
  readonly headers?: { readonly [name: string]: string };
}

export interface HttpReply {
  readonly status: number;
  /** Text is sent as it is; `error` becomes the protocol's own error body. */
  readonly body?: string | { readonly error: ErrorReply };
  readonly headers?: { readonly [name: string]: string };
  /** `stall`: the headers are sent, the body never ends. */
  readonly after?: "stall";
}

/** Not a byte comes: the connection stays open (`silent`), is closed (`closed`), or is reset (`reset`). */
export interface NoReply {
  readonly connection: "silent" | "closed" | "reset";
}

export interface ErrorReply {
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
}

export type Part =
  /** One string is one delta. */
  | { readonly type: "text"; readonly text: string | readonly string[] }
  /** Each part is a section of its own. */
  | { readonly type: "reasoning"; readonly text: string | readonly string[] }
  /** `input` as text is sent as it is, also when it is not JSON. `pieces`: the arguments come in so many. */
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly input: Json;
      readonly pieces?: number;
    }
  /** Many equal deltas, for benches. */
  | { readonly type: "deltas"; readonly count: number; readonly text: string; readonly everyMs?: number }
  | { readonly type: "delay"; readonly ms: number }
  /** Nothing more until the test opens the gate of this name (or the client goes). */
  | { readonly type: "gate"; readonly name: string }
  /** Nothing more until the client goes. */
  | { readonly type: "stall" }
  /** The connection is closed, with nothing to end the response. */
  | { readonly type: "cut" }
  /** The same with a TCP reset. */
  | { readonly type: "reset" }
  /** The response ends as if it were whole, with nothing to finish it. */
  | { readonly type: "end" }
  /** An error event of the protocol, in the middle of the stream. */
  | { readonly type: "error"; readonly error: ErrorReply }
  /** A text delta whose event stops at half of its bytes. */
  | { readonly type: "half-event"; readonly text: string }
  /** A text delta in two writes, cut within the first character that takes more than one byte. */
  | { readonly type: "split-text"; readonly text: string }
  /** Bytes as they are: text, or base64 to split a character. Each raw part is a write of its own. */
  | { readonly type: "raw"; readonly text: string }
  | { readonly type: "raw"; readonly base64: string };

export type Finish = "stop" | "tool-calls" | "length" | "content-filter" | "refusal";

export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly reasoning?: number;
  readonly cached?: number;
}

export const defaultUsage: ReplyUsage = { input: 11, output: 7 };

export function isHttpReply(reply: Reply): reply is HttpReply {
  return "status" in reply;
}

export function isNoReply(reply: Reply): reply is NoReply {
  return "connection" in reply;
}

export function finishOf(reply: StreamReply): Finish | null {
  if (reply.finish !== undefined) return reply.finish;
  return reply.parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
}

export function usageOf(reply: StreamReply): ReplyUsage | null {
  return reply.usage === undefined ? defaultUsage : reply.usage;
}

export function inputText(input: Json): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** The text in so many pieces, none of them empty. */
export function piecesOf(text: string, pieces = 1): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

export function deltasOf(text: string | readonly string[]): readonly string[] {
  return typeof text === "string" ? [text] : text;
}
