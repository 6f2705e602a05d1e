/** Writes one scripted reply as the protocol's events, at the client's pace, until it is done or the client has gone. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Encoder } from "./protocol.ts";
import {
  deltasOf,
  finishOf,
  inputText,
  type NoReply,
  type Part,
  piecesOf,
  type StreamReply,
  usageOf,
} from "./script.ts";

/** The responses whose connection the script had cut. */
export const cutResponses = new WeakSet<ServerResponse>();

/** Ends the connection as the script says, or leaves it to the client. */
export function withhold(response: ServerResponse, { connection }: NoReply): void {
  if (connection !== "silent") cut(response, connection === "reset" ? "reset" : "cut");
}

function cut(response: ServerResponse, how: "cut" | "reset"): void {
  cutResponses.add(response);
  const socket: Socket | null = response.socket;
  if (how === "reset") socket?.resetAndDestroy();
  else socket?.destroy();
}

/** Resolves when the test opens the gate. */
export type Gates = (name: string) => Promise<void>;

export async function streamReply(
  response: ServerResponse,
  reply: StreamReply,
  encoder: Encoder,
  gates: Gates,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...reply.headers });
  response.flushHeaders();
  const gone = new Promise<void>((resolve) => response.once("close", resolve));
  for (const event of encoder.start()) await write(response, event, gone);
  for (const part of reply.parts) {
    if (response.destroyed) return;
    if (part.type === "stall") return gone;
    if (part.type === "gate") {
      await Promise.race([gates(part.name), gone]);
      continue;
    }
    if (part.type === "end") return void response.end();
    if (part.type === "cut" || part.type === "reset") {
      // What was written before has to reach the client: it goes out with this turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 5));
      return cut(response, part.type);
    }
    await writePart(response, part, encoder, gone);
  }
  const finish = finishOf(reply);
  if (finish !== null) for (const event of encoder.finish(finish, usageOf(reply))) await write(response, event, gone);
  response.end();
}

async function writePart(
  response: ServerResponse,
  part: Exclude<Part, { type: "gate" | "stall" | "end" | "cut" | "reset" }>,
  encoder: Encoder,
  gone: Promise<void>,
): Promise<void> {
  const all = async (events: readonly string[]) => {
    for (const event of events) await write(response, event, gone);
  };
  /** A pause makes of it a chunk of its own on the wire. */
  const chunk = async (data: string | Uint8Array) => {
    await write(response, data, gone);
    await pause(5, gone);
  };
  switch (part.type) {
    case "text":
      for (const delta of deltasOf(part.text)) await all(encoder.text(delta));
      return;
    case "reasoning":
      return all(encoder.reasoning(deltasOf(part.text)));
    case "tool-call": {
      const { id, name, input, pieces } = part;
      return all(encoder.toolCall({ id, name, pieces: piecesOf(inputText(input), pieces) }));
    }
    case "deltas":
      for (let i = 0; i < part.count && !response.destroyed; i++) {
        await all(encoder.text(part.text));
        if (part.everyMs) await pause(part.everyMs, gone);
      }
      return;
    case "delay":
      return pause(part.ms, gone);
    case "error":
      return all(encoder.error(part.error));
    case "half-event": {
      const events = encoder.text(part.text);
      await all(events.slice(0, -1));
      const last = Buffer.from(events.at(-1) ?? "");
      return chunk(last.subarray(0, last.length / 2));
    }
    case "split-text": {
      const event = Buffer.from(encoder.text(part.text).join(""));
      const within = event.findIndex((byte) => byte >= 0xc0) + 1;
      await chunk(event.subarray(0, within));
      return chunk(event.subarray(within));
    }
    case "raw":
      return chunk("text" in part ? part.text : Buffer.from(part.base64, "base64"));
  }
}

async function write(response: ServerResponse, data: string | Uint8Array, gone: Promise<void>): Promise<void> {
  if (response.destroyed || response.write(data)) return;
  await Promise.race([new Promise<void>((resolve) => response.once("drain", resolve)), gone]);
}

function pause(ms: number, gone: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    gone.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
