/**
 * Chat over HTTP with commands, for several tenants. `POST /NAME` with a tenant's key says something in the conversation
 * of that name; the answer comes as JSON lines, `{type: "text", delta}` and at last `done`, `command` or `error`.
 *
 * No command can choose a model, a prompt or a limit: they come from the tenant's entry alone. The person who types is
 * not the one who pays: with `/model` anyone in the conversation could spend a tenant's money on a model that nobody
 * here picked for them, or reach one that they are not entitled to. So commands say what is to happen, and the table
 * says how. `/model x` names no command: it is a message like any other.
 */
import {
  type ChatClient,
  ChatError,
  clearCommand,
  commandSet,
  compactCommand,
  createChat,
  helpCommand,
  type Model,
  runCommand,
  truncate,
  undoCommand,
} from "@poppet/chat";

export interface Tenant {
  readonly model: Model;
  readonly system: string;
}

const commands = commandSet([helpCommand(), clearCommand(), compactCommand(), undoCommand()]);
const textBytes = 65_536;
const conversationsKept = 100;

/** `tenants` by their keys. */
export function chatServer(tenants: ReadonlyMap<string, Tenant>): (request: Request) => Promise<Response> {
  const conversations = new Map<Tenant, Map<string, ChatClient>>();

  /** Of this tenant only; those that were longest not used make room. */
  function conversation(tenant: Tenant, name: string): ChatClient {
    const own = conversations.get(tenant) ?? new Map<string, ChatClient>();
    conversations.set(tenant, own);
    const { model, system } = tenant;
    const client = own.get(name) ?? createChat({ model, system, policy: truncate({ exchanges: 50 }) });
    own.delete(name);
    own.set(name, client);
    const [oldest] = own.keys();
    if (own.size > conversationsKept && oldest !== undefined) own.delete(oldest);
    return client;
  }

  return async (request) => {
    const key = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const tenant = key === undefined ? undefined : tenants.get(key);
    if (!tenant) return problem(401, "The key is missing or wrong.");
    const name = new URL(request.url).pathname.slice(1);
    if (request.method !== "POST" || !/^[\w-]{1,64}$/.test(name)) return problem(404, "Use POST /NAME.");
    const length = request.headers.get("content-length");
    if (length === null) return problem(411, "Say how long it is, by content-length.");
    if (!(Number(length) <= textBytes)) return problem(413, "Say it shorter.");
    const text = await request.text();
    const answering = answer(conversation(tenant, name), text, request.signal);
    return new Response(jsonLines(answering), { headers: { "content-type": "application/jsonl" } });
  };
}

async function* answer(client: ChatClient, text: string, signal: AbortSignal): AsyncGenerator<object> {
  try {
    const outcome = await runCommand(client, commands, text, { signal });
    if (outcome.handled) {
      yield { type: "command", text: outcome.text, changed: outcome.changed };
      return;
    }
    for await (const event of client.stream(text, { signal })) {
      if (event.type === "text") yield { type: "text", delta: event.delta };
    }
    yield { type: "done" };
  } catch (error) {
    // What is no ChatError is a fault of ours, and nobody's business.
    const { code, message } = ChatError.isInstance(error) ? error : { code: "internal", message: "It failed." };
    yield { type: "error", code, message };
  }
}

function jsonLines(lines: AsyncGenerator<object>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    // A stream that nobody reads holds its place in the line of its conversation.
    cancel: async () => void (await lines.return(undefined)),
  });
}

function problem(status: number, message: string): Response {
  return Response.json({ type: "error", message }, { status });
}
