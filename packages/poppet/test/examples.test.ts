/** The examples, each as people run it. */
import { afterEach, describe, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChat, type EntryContent, type Transcript } from "@poppet/chat";
import {
  type BackEndAnswer,
  describeProvider,
  describeTranscript,
  finish,
  type ModelFactory,
  say,
  scriptedModel,
} from "@poppet/chat/testing";
import { fileTranscript } from "../../../examples/file-transcript.ts";
import { chatServer } from "../../../examples/http-tenants.ts";
import { ollama } from "../../../examples/ollama.ts";
import { type Reply, startModelServer } from "./model-server/index.ts";

const examples = join(import.meta.dir, "../../../examples");
const openFolders: string[] = [];
afterEach(() => {
  for (const folder of openFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("L9 examples/repl.ts", () => {
  test("is a prompt in thirty lines, with commands", async () => {
    const lines = readFileSync(`${examples}/repl.ts`, "utf8").split("\n");
    expect(lines.filter((line) => !/^\s*($|\/[/*])/.test(line)).length).toBeLessThanOrEqual(30);
    const reply: Reply = { parts: [{ type: "text", text: ["Hel", "lo\u001b[2J."] }] };
    const server = await startModelServer({ replies: [reply, { status: 429, body: { error: { message: "slow" } } }] });
    try {
      const run = Bun.spawn([process.execPath, `${examples}/repl.ts`], {
        env: { ...process.env, OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.baseUrl("openai") },
        stdin: new Blob(["Hi\n\n/undo\n/etc/hosts is what?\n"]),
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
      expect([await run.exited, err]).toEqual([0, ""]);
      expect(out).toMatch(/^> Hello\[2J\.\n> \n> Took back: Hi\n> \nfailed: .*limits how often.*\n> $/);
    } finally {
      await server.close();
    }
  });
});

describe("L9 examples/http-tenants.ts", () => {
  function start() {
    const models = { a: scriptedModel(["from a"]), b: scriptedModel(["from b"]) };
    const tenants = new Map([
      ["key-a", { model: models.a, system: "You serve a." }],
      ["key-b", { model: models.b, system: "You serve b." }],
    ]);
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: chatServer(tenants) });
    openServers.push(server);
    const post = (key: string, name: string, body: string | ReadableStream) =>
      fetch(new URL(name, server.url), { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
    const say = async (key: string, name: string, body: string) =>
      (await (await post(key, name, body)).text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    return { models, post, say };
  }
  const openServers: { stop(closeActive: boolean): unknown }[] = [];
  afterEach(async () => {
    for (const server of openServers.splice(0)) await server.stop(true);
  });

  test("keeps tenants apart, and runs what a person types as a command", async () => {
    const { models, say } = start();
    expect(await say("key-a", "one", "Hi")).toEqual([{ type: "text", delta: "from a" }, { type: "done" }]);
    expect(await say("key-b", "one", "Hi")).toEqual([{ type: "text", delta: "from b" }, { type: "done" }]);
    expect(models.b.requests[0]?.messages).toHaveLength(1);
    expect(models.b.requests[0]?.system).toBe("You serve b.");
    await say("key-a", "one", "And?");
    expect(models.a.requests[1]?.messages).toHaveLength(3);
    expect(await say("key-a", "one", "/undo")).toEqual([{ type: "command", text: "Took back: And?", changed: true }]);
    expect(await say("key-a", "two", "/undo")).toMatchObject([{ type: "command", changed: false }]);
  });

  test("has no command that chooses a model: it is a message to the tenant's own", async () => {
    const { models, say } = start();
    expect(await say("key-a", "one", "/model b")).toEqual([{ type: "text", delta: "from a" }, { type: "done" }]);
    expect([models.a.requests.length, models.b.requests.length]).toEqual([1, 0]);
    const [help] = await say("key-a", "one", "/help");
    expect(help.text).not.toContain("/model");
  });

  test("refuses who has no key, other paths and too much text; says what failed", async () => {
    const { post, say } = start();
    expect((await post("key-c", "one", "Hi")).status).toBe(401);
    expect((await post("key-a", "a/b", "Hi")).status).toBe(404);
    expect((await post("key-a", "one", "x".repeat(70_000))).status).toBe(413);
    const unmeasured = new ReadableStream({ pull: (controller) => controller.close() });
    expect((await post("key-a", "one", unmeasured)).status).toBe(411);
    expect(await say("key-a", "one", " ")).toMatchObject([{ type: "error", code: "input_empty" }]);
  });

  test("stops an answer that nobody reads any more", async () => {
    const stopped = Promise.withResolvers<void>();
    const hanging = scriptedModel([[say("Half"), "hang"], "whole"]);
    const stream: typeof hanging.stream = (request) => {
      request.signal.addEventListener("abort", () => stopped.resolve());
      return hanging.stream(request);
    };
    const server = chatServer(new Map([["key", { model: { ...hanging, stream }, system: "" }]]));
    const post = (body: string) => {
      const headers = { authorization: "Bearer key", "content-length": String(body.length) };
      return server(new Request("http://127.0.0.1/one", { method: "POST", headers, body }));
    };
    const reader = (await post("Hi")).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await stopped.promise;
    expect(await (await post("Again")).text()).toContain("whole");
  });
});

describe("L9 examples/ollama.ts", () => {
  const status: { readonly [code: string]: number } = {
    provider_rejected: 400,
    model_not_found: 404,
    provider_server: 500,
    provider_overloaded: 503,
  };
  const line = (part: object) => `${JSON.stringify(part)}\n`;
  const delta = (content: string) => line({ message: { role: "assistant", content }, done: false });

  async function* bodyOf(answer: BackEndAnswer, signal: AbortSignal): AsyncGenerator<string> {
    if (!("deltas" in answer)) return;
    for (const text of answer.deltas) yield delta(text);
    if (answer.type === "stall")
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    if (answer.type !== "text") return;
    const { finish: done_reason = "stop", usage } = answer;
    const counts = usage && { prompt_eval_count: usage.input, eval_count: usage.output };
    yield line({ message: { role: "assistant", content: "" }, done: true, done_reason, ...counts });
  }

  const open: ModelFactory["open"] = (answers) => {
    const bodies: string[] = [];
    const arrived = answers.map(() => Promise.withResolvers<void>());
    const over = answers.map(() => Promise.withResolvers<void>());
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      error: () => new Response(null, { status: 500 }),
      async fetch(request) {
        const number = bodies.push(await request.text());
        const answer = answers[number - 1];
        arrived[number - 1]?.resolve();
        request.signal.addEventListener("abort", () => over[number - 1]?.resolve());
        if (!answer || new URL(request.url).pathname !== "/api/chat") return new Response(null, { status: 404 });
        if (answer.type === "failure") {
          over[number - 1]?.resolve();
          return Response.json({ error: answer.says }, { status: status[answer.code] ?? 500 });
        }
        const lines = bodyOf(answer, request.signal);
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            const next = await lines.next();
            if (!next.done) return controller.enqueue(new TextEncoder().encode(next.value));
            over[number - 1]?.resolve();
            controller.close();
          },
          cancel: () => over[number - 1]?.resolve(),
        });
        return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
      },
    });
    return {
      provider: ollama("llama3.2", { url: server.url.origin }),
      requests: () => bodies.length,
      async request(number) {
        await arrived[number - 1]?.promise;
        return bodies[number - 1] ?? "";
      },
      over: async (number) => over[number - 1]?.promise,
      close: async () => void (await server.stop(true)),
    };
  };
  const factory: ModelFactory = {
    ...{ kind: "model", tools: false, cachedTokens: false, open },
    ...{ failures: ["provider_rejected", "model_not_found", "provider_server", "provider_overloaded"] },
    finishes: ["stop", "length"],
  };
  describeProvider(factory, { describe, test, name: "by the suite for providers" });

  test("is told of sources as data, and of thinking", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { messages } = (await request.json()) as { messages: { content: string }[] };
        return new Response(
          line({ message: { thinking: "Hm." } }) + delta(messages.at(-1)?.content ?? "") + line({ done: true }),
        );
      },
    });
    const client = createChat({ model: ollama("llama3.2", { url: server.url.origin }) });
    const { text } = await client.chat({ text: "What is it?", sources: [{ label: "a.txt", text: "a moon" }] });
    expect(text).toMatch(/^What is it\?\n\nUntrusted sources[\s\S]*a moon/);
    await server.stop(true);
  });
});

describe("L9 examples/file-transcript.ts", () => {
  const newFile = () => {
    const folder = mkdtempSync(join(tmpdir(), "poppet-example-"));
    openFolders.push(folder);
    return join(folder, "conversation.jsonl");
  };
  describeTranscript({ make: newFile, open: fileTranscript }, { describe, test, name: "by the suite for stores" });

  const client = (transcript: Transcript, answer: string) =>
    createChat({ model: scriptedModel([[say(answer), finish()]]), transcript });

  test("goes on in another process, whatever a crash left of the last line", async () => {
    const path = newFile();
    await client(fileTranscript(path), "One.").chat("1");
    const whole = readFileSync(path);
    const second = whole.indexOf("\n") + 1;
    expect(second).toBe(whole.length);
    appendFileSync(path, '{"type":"commit","tip":"x","entr');
    await client(fileTranscript(path), "Two.").chat("2");
    const model = scriptedModel(["Three."]);
    await createChat({ model, transcript: fileTranscript(path) }).chat("3");
    expect(model.requests[0]?.messages.map((message) => message.role !== "tool" && message.text)).toEqual([
      ...["1", "One.", "2", "Two.", "3"],
    ]);
    writeFileSync(path, whole.subarray(0, whole.length - 5));
    expect(await fileTranscript(path).tip()).toBeNull();
  });

  test("writes nothing of a commit with content that is none", async () => {
    const path = newFile();
    const transcript = fileTranscript(path);
    const content = [{ role: "user", text: "a", sources: [null] }] as unknown as readonly EntryContent[];
    await expect(transcript.commit({ expected: null, parent: null, exchange: "a", content })).rejects.toThrow();
    await client(transcript, "One.").chat("1");
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(1);
  });
});
