// Runs a turn, a tool, an abort, a transcript and its context, a client with its commands, policy and snapshot, on whatever runtime executes this file.
// Argument: the folder of the built library. Prints "ok" and the runtime's name.
import process from "node:process";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
const { ChatError, defineTool, emptyContext, memoryTranscript, readContext, turn } = await import(
  new URL("index.js", folder).href
);
const { providerError } = await import(new URL("provider.js", folder).href);
const { call, finish, say, scriptedModel, describeTranscript } = await import(new URL("testing/index.js", folder).href);

const limits = { answerBytes: 1000, recordBytes: 1000, turnMs: 5000, requestMs: 5000, steps: 5, toolCalls: 5 };
const budget = { exchanges: 10, bytes: 10_000, tokens: 10_000 };
const add = defineTool({
  name: "math.add",
  description: "adds",
  inputJsonSchema: { type: "object" },
  input: { "~standard": { version: 1, vendor: "smoke", validate: (value) => ({ value }) } },
  run: async ({ a, b }) => a + b,
});

async function play(model, signal = new AbortController().signal, onEvent = () => {}) {
  const running = turn({
    model,
    system: "",
    context: emptyContext,
    input: { role: "user", text: "1+2?" },
    tools: [add],
    limits,
    budget,
    signal,
  });
  for (;;) {
    const next = await running.next();
    if (next.done) return next.value;
    onEvent(next.value);
  }
}

function equal(actual, expected) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  }
}

const model = scriptedModel([[call("math.add", { a: 1, b: 2 }), finish()], "3"]);
const answered = await play(model);
equal([answered.state, answered.text, answered.messages[2].results[0].output], ["completed", "3", 3]);

const controller = new AbortController();
const stopped = await play(
  scriptedModel([[say("x"), "hang"]]),
  controller.signal,
  (event) => event.type === "text" && controller.abort(),
);
equal([stopped.state, stopped.error.code, ChatError.isInstance(stopped.error)], ["interrupted", "aborted", true]);

const late = await play({ ...scriptedModel([["hang"]]) }, AbortSignal.timeout(20));
equal(late.state, "interrupted");

const refused = providerError(Object.assign(new Error("the key s3cr3t+key is wrong"), { statusCode: 401 }), {
  provider: "p",
  modelId: "m",
  label: "P",
  keyHint: null,
  secrets: ["s3cr3t+key"],
  now: Date.now,
});
equal([refused.code, refused.message.includes("s3cr3t")], ["provider_auth", false]);

const cases = [];
describeTranscript(
  { make: () => memoryTranscript(), open: (one) => one },
  { test: (name, run) => cases.push({ name, run }) },
);
for (const { name, run } of cases) {
  await run().catch((error) => {
    throw new Error(`${name}: ${error.message}`);
  });
}
const transcript = memoryTranscript();
const tip = await transcript.commit({ expected: null, parent: null, exchange: "a", content: answered.messages });
equal((await readContext(transcript, tip, budget)).exchanges[0].messages, answered.messages);

// The client: a tool, commands, a summary, a snapshot that is sealed, an abort.
const { clearCommand, commandSet, compact, compactCommand, createChat, helpCommand, runCommand, undoCommand } =
  await import(new URL("index.js", folder).href);
const { decrypt, encrypt } = await import(new URL("encrypt.js", folder).href);
const commands = commandSet([helpCommand(), clearCommand(), compactCommand(), undoCommand()]);
const long = "word ".repeat(200);
const chatting = scriptedModel([
  [call("math.add", { a: 1, b: 2 }), finish()],
  long,
  long,
  "A summary.",
  "Again.",
  ["hang"],
]);
const client = createChat({ model: chatting, tools: [add], policy: compact({ keep: 1 }) });
equal([(await client.chat("1+2?")).kept, (await client.chat("More?")).kept], [true, true]);
equal((await runCommand(client, commands, "/help me")).handled, true);
equal((await runCommand(client, commands, "/helpme")).handled, false);
equal((await runCommand(client, commands, "/compact")).changed, true);
equal([(await client.editor.read()).summary, (await client.editor.read()).exchanges.length], ["A summary.", 1]);
const sealed = await encrypt(await client.snapshot(), "a passphrase");
equal(await decrypt(sealed, "another").catch((error) => error.code), "snapshot_key");
const restored = createChat({ model: chatting, tools: [add] });
await restored.restore(await decrypt(sealed, "a passphrase"));
equal((await restored.chat("And now?")).text, "Again.");
equal((await runCommand(restored, commands, "/undo")).changed, true);
equal(await restored.chat("Stop.", { signal: AbortSignal.timeout(20) }).catch((error) => error.code), "aborted");
equal((await runCommand(restored, commands, "/clear")).changed, true);
equal((await restored.editor.read()).exchanges.length, 0);

console.log(`ok ${globalThis.Deno ? "deno" : globalThis.Bun ? "bun" : "node"}`);
