/**
 * A model server that answers by a script, over real HTTP on 127.0.0.1, in four protocols at once: OpenAI Responses, Chat
 * Completions, Anthropic Messages and Gemini. It checks each request as strictly as the real service, answers what is
 * wrong with 400 in the protocol's own shape, and keeps every request, so that a test can trust what was accepted.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Fields, fields, type Protocol, type ProtocolName } from "./protocol.ts";
import { anthropicMessages } from "./protocols/anthropic-messages.ts";
import { chatCompletions } from "./protocols/chat-completions.ts";
import { gemini } from "./protocols/gemini.ts";
import { openaiResponses } from "./protocols/openai-responses.ts";
import { type HttpReply, isHttpReply, isNoReply, type Reply, type Script } from "./script.ts";
import { cutResponses, streamReply, withhold } from "./stream.ts";

export const protocols: readonly Protocol[] = [openaiResponses, chatCompletions, anthropicMessages, gemini];

export interface RecordedRequest {
  readonly number: number;
  readonly protocol: ProtocolName | null;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Fields;
  /** Why it was answered 400, 401 or 404 by the server itself; null where the script answered. */
  readonly refusal: string | null;
  /** Resolves when the connection's response is over: the `client` went away before its end, the script `cut` it, or it `ended`. */
  readonly over: Promise<"client" | "cut" | "ended">;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** For a client's settings: the URL with the protocol's usual path. */
  baseUrl(protocol: ProtocolName): string;
  /** More replies at the end of the script. */
  push(...replies: readonly Reply[]): void;
  /** Lets the replies that wait at this gate go on, and all that come to it later. */
  open(gate: string): void;
  /** The n-th request (from 1), when it has come. */
  request(number: number): Promise<RecordedRequest>;
  close(): Promise<void>;
}

export async function startModelServer(
  script: Script = { replies: [] },
  options: { port?: number } = {},
): Promise<ModelServer> {
  const replies: Reply[] = [...script.replies];
  const requests: RecordedRequest[] = [];
  const waiting = new Map<number, (request: RecordedRequest) => void>();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (name: string): PromiseWithResolvers<void> => {
    const known = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, known);
    return known;
  };
  let taken = 0;

  const nextReply = (): Reply => {
    if (taken >= replies.length && script.afterLast === "repeat" && replies.length > 0) taken = 0;
    return replies[taken++] ?? { status: 500, body: { error: { message: "The script has no more replies." } } };
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url ?? "/";
    const over = overOf(response);
    const text = await bodyOf(incoming);
    const headers = headersOf(incoming);
    const protocol = protocols.find((one) => incoming.method === "POST" && one.matches(path.split("?")[0] ?? ""));
    const body = parsed(text);
    const refused = refusalOf(script, protocol, incoming, headers, body);
    const number = requests.length + 1;
    const request: RecordedRequest = {
      number,
      protocol: protocol?.name ?? null,
      method: incoming.method ?? "",
      path,
      headers,
      body: fields(body),
      refusal: refused?.why ?? null,
      over,
    };
    requests.push(request);
    waiting.get(number)?.(request);
    if (refused) return send(response, refused.reply, protocol ?? chatCompletions);
    if (!protocol) return send(response, listing(script), chatCompletions);
    const reply = nextReply();
    if (isNoReply(reply)) return withhold(response, reply);
    if (isHttpReply(reply)) return send(response, reply, protocol);
    const encoder = protocol.encoder({ body: request.body, path, number });
    await streamReply(response, reply, encoder, (name) => gate(name).promise);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    baseUrl: (name) => url + (protocols.find((one) => one.name === name)?.basePath ?? ""),
    push: (...more) => void replies.push(...more),
    open: (name) => gate(name).resolve(),
    request: (number) => {
      const request = requests[number - 1];
      return request ? Promise.resolve(request) : new Promise((resolve) => waiting.set(number, resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Registered before anything is awaited, so that no end is missed. */
function overOf(response: ServerResponse): Promise<"client" | "cut" | "ended"> {
  return new Promise((resolve) => {
    response.on("finish", () => resolve("ended"));
    response.on("close", () => resolve(cutResponses.has(response) ? "cut" : "client"));
  });
}

function refusalOf(
  script: Script,
  protocol: Protocol | undefined,
  incoming: IncomingMessage,
  headers: Headers,
  body: unknown,
): { readonly why: string; readonly reply: HttpReply } | null {
  const path = (incoming.url ?? "/").split("?")[0] ?? "";
  const isListing = incoming.method === "GET" && path === "/v1/models";
  const refuse = (status: number, why: string, code?: string) => ({
    why,
    reply: { status, body: { error: { message: why, ...(code ? { code } : {}) } } },
  });
  if (!protocol && !isListing) return refuse(404, `No route ${incoming.method} ${path}`);
  const key = (protocol ?? chatCompletions).key(headers, path);
  if (script.key !== undefined && key !== script.key)
    return refuse(401, `Incorrect API key provided: ${key}`, "invalid_api_key");
  if (!protocol) return null;
  if (body === undefined) return refuse(400, "The body is not JSON.");
  const problem = protocol.problem(fields(body));
  return problem === null ? null : refuse(400, problem);
}

function listing(script: Script): HttpReply {
  const data = (script.models ?? []).map((id) => ({ id, object: "model", created: 1_760_000_000, owned_by: "test" }));
  return { status: 200, body: JSON.stringify({ object: "list", data }) };
}

function send(response: ServerResponse, reply: HttpReply, protocol: Protocol): void {
  const { body } = reply;
  const text = typeof body === "object" ? protocol.errorBody(reply.status, body.error) : (body ?? "");
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
  if (reply.after === "stall") response.write(text || " ");
  else response.end(text);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
