import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFile, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AssistantMessage,
  ChatError,
  defineTool,
  type Message,
  type ModelEvent,
  type ModelRequest,
} from "@poppet/chat";
import type { LocalGguf } from "@poppet/chat/local-gguf";
import * as v from "valibot";
import { promisedBytes } from "../../../../chat/src/local-gguf/gguf-size.ts";
import { failure } from "../../../test/failure.ts";
import { copyWithTemplate, toolTemplate } from "../../../test/gguf-template.ts";
import { smallModel, smallModelName } from "../../../test/small-model.ts";
import { type OpenLocalModelOptions, openLocalModel } from "./open.ts";

setDefaultTimeout(30_000);

let local: LocalGguf;
let modelsFolder: string;
const stopped = new ChatError("aborted", "stopped");
const idle = new AbortController().signal;

beforeAll(async () => {
  modelsFolder = join((await smallModel()).path, "..");
  local = await openSmall();
}, 300_000);

afterAll(async () => {
  await local.close();
});

function openSmall(more: Partial<OpenLocalModelOptions> = {}): Promise<LocalGguf> {
  return openLocalModel({ model: smallModelName, settings: {}, facts: {}, modelsFolder, signal: idle, ...more });
}

const user = (text: string): Message => ({ role: "user", text });

function said(text: string, toolCalls: AssistantMessage["toolCalls"] = []): AssistantMessage {
  const record = { provider: "local", model: smallModelName, continuation: null, measured: null };
  return { role: "assistant", text, reasoning: "", toolCalls, ...record };
}

async function ask(messages: readonly Message[], more: Partial<ModelRequest> = {}, model = local.model) {
  const events: ModelEvent[] = [];
  const system = "You are a helpful assistant.";
  for await (const event of model.stream({ system, messages, tools: [], signal: idle, ...more })) events.push(event);
  const finish = events.at(-1);
  if (finish?.type !== "finish") throw new Error("no finish");
  const deltas = events.flatMap((event) => (event.type === "text" ? [event.delta] : []));
  return { text: deltas.join(""), deltas, finish, events };
}

test("P1 the local model answers, streamed, with its usage in tokens", async () => {
  const { text, deltas, finish } = await ask([user("What is the capital of France?")]);
  expect(text).toContain("Paris");
  expect(deltas.length).toBeGreaterThan(3);
  expect(finish.reason).toBe("stop");
  const usage = finish.usage;
  expect(usage?.inputTokens).toBe(27);
  expect(usage?.outputTokens).toBe(8);
  expect(usage?.totalTokens).toBe(35);
});

test("P1 a second turn knows the first, and what was read before is not read again", async () => {
  const question = user("What is the capital of France?");
  const first = await ask([question]);
  const second = await ask([question, said(first.text), user("And of Italy?")]);
  expect(second.text).toContain("Rome");
  expect(second.finish.usage?.cachedInputTokens).toBeGreaterThan(30);
});

test("P1 the same question gets the same answer at temperature 0", async () => {
  const model = (await openSmall({ sampling: { temperature: 0 } })).model;
  const question = [user("Name three colours.")];
  const first = await ask(question, {}, model);
  expect((await ask(question, {}, model)).text).toBe(first.text);
});

test("C12 an answer that is cut off says so", async () => {
  const { finish } = await ask([user("Tell me a long story.")], { maxOutputTokens: 5 });
  expect(finish.reason).toBe("length");
  expect(finish.usage?.outputTokens).toBe(5);
});

test("C13 a conversation that does not fit fails with by how much, and one that runs full is cut off", async () => {
  const { code, message } = await failure(ask([user("word ".repeat(9_000))]));
  expect(code).toBe("context_too_large");
  expect(message).toMatch(/takes 90\d\d tokens .* context of 8192/);
  const small = await openSmall({ facts: { contextWindow: 256 } });
  expect(small.contextWindow).toBe(256);
  expect(small.maxOutputTokens).toBe(64);
  const { finish } = await ask([user("Tell me a very long story.")], { maxOutputTokens: 500 }, small.model);
  expect(finish.reason).toBe("length");
  await small.close();
});

/** Reads a stream that is to end with the abort, which `when` is given the means of. */
async function abortAfter(messages: readonly Message[], when: (abort: () => void, event: ModelEvent | null) => void) {
  const controller = new AbortController();
  const abort = () => controller.abort(stopped);
  when(abort, null);
  const read = async () => {
    const { signal } = controller;
    for await (const event of local.model.stream({ system: "", messages, tools: [], signal })) when(abort, event);
  };
  expect((await failure(read())).code).toBe("aborted");
}

test("P1 an abort while the prompt is read ends the reading, in the engine too", async () => {
  const sentences = (count: number) => [user("The quick brown fox jumps over the lazy dog. ".repeat(count))];
  await abortAfter(sentences(600), (abort, event) => {
    if (event === null) setTimeout(abort, 10);
    else throw new Error("The prompt was read to its end.");
  });
  // What the engine has read stays with it: of this beginning it would be all, had it read on.
  const { finish } = await ask(sentences(30), { system: "", maxOutputTokens: 1 });
  expect(finish.usage?.inputTokens).toBeGreaterThan(300);
  expect(finish.usage?.cachedInputTokens).toBeLessThan(300);
});

test("P1 an abort while the model answers ends the answer, and nothing comes after it", async () => {
  let texts = 0;
  await abortAfter([user("Tell me a long story.")], (abort, event) => {
    if (event !== null && ++texts === 3) abort();
  });
  expect(texts).toBe(3);
});

test("P1 an abort while the model loads ends the loading before another one that began with it is done", async () => {
  const order: string[] = [];
  const whole = openSmall().then(async ({ close }) => {
    order.push("loaded");
    await close();
  });
  const controller = new AbortController();
  const aborted = failure(openSmall({ signal: controller.signal }));
  setTimeout(() => controller.abort(stopped));
  expect((await aborted).code).toBe("aborted");
  order.push("aborted");
  await whole;
  expect(order).toEqual(["aborted", "loaded"]);
});

test("P1 requests to one model take turns, and one that waits can be aborted", async () => {
  const waiting = new AbortController();
  const first = ask([user("Say hello.")], { maxOutputTokens: 10 });
  const second = failure(ask([user("Say hello.")], { signal: waiting.signal }));
  const third = ask([user("What is the capital of France?")]);
  waiting.abort(stopped);
  expect((await second).code).toBe("aborted");
  expect((await first).finish.usage?.outputTokens).toBeGreaterThan(0);
  expect((await third).text).toContain("Paris");
});

const clock = defineTool({
  name: "poppet_time.get_time",
  description: "Gets the current time in a city",
  input: v.object({ city: v.string(), unit: v.optional(v.string()) }),
  inputJsonSchema: { type: "object", properties: { city: { type: "string", maxLength: 20 } }, required: ["city"] },
  run: async () => null,
});

test("C14 a model whose template has no tools is offered none and answers in text", async () => {
  expect(local.model.supportsTools).toBe(false);
  expect((await ask([user("What is the capital of France?")], { tools: [clock] })).text).toContain("Paris");
});

test("C14 a tool call in the template's own form is reported, not run, and its result is in the context", async () => {
  const folder = await mkdtemp(join(tmpdir(), "poppet-tools-"));
  const path = join(folder, "tools.gguf");
  await copyWithTemplate((await smallModel()).path, path, toolTemplate);
  const { model, close } = await openSmall({ model: path });
  try {
    expect(model.supportsTools).toBe(true);
    const question = user("What is the time in Paris?");
    const asked = await ask([...toolExamples(), question], { tools: [clock], maxOutputTokens: 60 }, model);
    expect(asked.events.slice(0, -1)).toEqual([
      { type: "tool-call", toolCallId: "call_4", toolName: clock.name, input: '{"city":"Paris"}' },
    ]);
    expect(asked.finish.reason).toBe("tool-calls");
    const call = { toolCallId: "call_4", toolName: clock.name };
    const result: Message = { role: "tool", results: [{ ...call, state: "completed", output: { time: "14:55" } }] };
    const messages = [...toolExamples(), question, said("", [{ ...call, input: { city: "Paris" } }]), result];
    expect((await ask(messages, { tools: [clock], maxOutputTokens: 60 }, model)).text).toContain("14:55");
  } finally {
    await close();
    await rm(folder, { recursive: true });
  }
});

/** The small model was never taught to call tools, but it goes on as a conversation went before. */
function toolExamples(): Message[] {
  const examples = [
    ["Rome", "11:20"],
    ["Oslo", "09:41"],
    ["Lima", "03:05"],
  ];
  return examples.flatMap(([city = "", time = ""], index): Message[] => {
    const call = { toolCallId: `call_${index + 1}`, toolName: clock.name };
    return [
      user(`What is the time in ${city}?`),
      said("", [{ ...call, input: { city } }]),
      { role: "tool", results: [{ ...call, state: "completed", output: { time } }] },
      said(`It is ${time} in ${city}.`),
    ];
  });
}

test("P3 a missing model says how to fetch it", async () => {
  const { code, message } = await failure(openSmall({ model: "llama-3.2-1b" }));
  expect(code).toBe("model_missing");
  expect(message).toContain("poppet models pull llama-3.2-1b");
});

test("P3 a missing model that cannot be pulled by its name says where to look", async () => {
  const { code, message } = await failure(openSmall({ model: "llama-3.2-1c" }));
  expect(code).toBe("model_missing");
  expect(message).not.toContain("models pull");
  expect(message).toContain(
    '`poppet models local` lists what is here and what can be pulled; did you mean "llama-3.2-1b"?',
  );
});

test("P2 the real model is as long as its header promises", async () => {
  const { path, bytes } = await smallModel();
  expect(promisedBytes(path)).toBe(bytes);
});

test("P1 garbage, a cut off file and an unknown version are told in one line, without a crash", async () => {
  const folder = await mkdtemp(join(tmpdir(), "poppet-gguf-"));
  const path = join(folder, "bad.gguf");
  const reason = async () => {
    const { code, message } = await failure(openSmall({ model: path }));
    expect(code).toBe("local_engine");
    return message;
  };
  try {
    await writeFile(path, "GGU");
    expect(await reason()).toContain("has only 3 bytes");
    await writeFile(path, "x".repeat(1_000));
    expect(await reason()).toContain("it is no GGUF file");
    await writeFile(path, `GGUF${"x".repeat(1_000)}`);
    expect(await reason()).toContain("its GGUF version is");
    await copyFile((await smallModel()).path, path);
    await truncate(path, 50_000_000);
    expect(await reason()).toContain("corrupted or incomplete");
    await truncate(path, 100_000);
    expect(await reason()).toContain("cannot be loaded");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("P1 closing stops what is running, a closed model refuses, and closing twice is harmless", async () => {
  const { model, close } = await openSmall();
  const running = failure(ask([user("Tell me a long story.")], {}, model));
  await Promise.all([close(), close()]);
  expect((await running).code).toBe("aborted");
  expect((await failure(ask([user("Hi")], {}, model))).code).toBe("provider_server");
});

const endings = {
  close: 0,
  leave: 0,
  "exit-loading": 7,
  "exit-reading": 7,
  "exit-answering": 7,
  sigint: 130,
  throw: 1,
};

test.each(Object.entries(endings))(
  "P1 a process that ends by %s does so at once, with its own exit code and no noise",
  async (ending, code) => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../../test/local-child.ts"), ending], {
      stdout: "pipe",
      stderr: "pipe",
      timeout: 15_000,
    });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ code: await child.exited, signal: child.signalCode, stdout }).toEqual({ code, signal: null, stdout: "" });
    if (ending === "throw") expect(stderr).toContain("The reader failed.");
    else expect(stderr).toBe("");
  },
);
