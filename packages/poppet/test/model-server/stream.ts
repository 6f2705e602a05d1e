/** Writes one scripted reply as the protocol's events, at the client's pace, until it is done or the client has gone. */
import type { ServerResponse } from "node:http";
import type { Encoder } from "./protocol.ts";
import { deltasOf, finishOf, inputText, type Part, piecesOf, type StreamReply, usageOf } from "./script.ts";

/** The responses whose connection the script had cut. */
export const cutResponses = new WeakSet<ServerResponse>();

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
    if (part.type === "cut") {
      // What was written before has to reach the client: it goes out with this turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 5));
      cutResponses.add(response);
      return void response.socket?.destroy();
    }
    await writePart(response, part, encoder, gone);
  }
  const finish = finishOf(reply);
  if (finish !== null) for (const event of encoder.finish(finish, usageOf(reply))) await write(response, event, gone);
  response.end();
}

async function writePart(
  response: ServerResponse,
  part: Exclude<Part, { type: "gate" | "stall" | "end" | "cut" }>,
  encoder: Encoder,
  gone: Promise<void>,
): Promise<void> {
  const all = async (events: readonly string[]) => {
    for (const event of events) await write(response, event, gone);
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
    case "raw":
      await write(response, "text" in part ? part.text : Buffer.from(part.base64, "base64"), gone);
      // A pause makes each raw part a chunk of its own on the wire.
      return pause(5, gone);
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
