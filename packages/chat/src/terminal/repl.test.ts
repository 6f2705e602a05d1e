import { expect, test } from "bun:test";
import { scriptedChat } from "../../test/client.ts";
import { ChatError, clearCommand, commandSet, defineCommand, helpCommand, undoCommand } from "../index.ts";
import { finish, type ScriptedStep, say } from "../testing/index.ts";
import { repl } from "./repl.ts";

const commands = commandSet([
  helpCommand(),
  clearCommand(),
  undoCommand(),
  defineCommand({ name: "break", summary: "breaks", run: () => Promise.reject(new Error("it broke")) }),
]);

async function typed(pieces: readonly (string | Uint8Array)[], script: readonly ScriptedStep[], signal?: AbortSignal) {
  const { client, model } = scriptedChat(script);
  let written = "";
  const output = {
    write(text: string) {
      written += text;
    },
  };
  async function* input() {
    yield* pieces;
  }
  await repl({ client, commands, input: input(), output, ...(signal && { signal }) });
  return { written, asked: model.requests.map((request) => request.messages.at(-1)), client };
}

test("L1 a line is a message or a command; blank ones are ignored", async () => {
  const { written, asked } = await typed(["Hi\n", " \n\n", "/etc/hosts is what?\n/un", "do\n"], ["Hello.", "A file."]);
  expect(written).toBe("> Hello.\n> > > A file.\n> Took back: /etc/hosts is what?\n> \n");
  expect(asked).toEqual([
    { role: "user", text: "Hi" },
    { role: "user", text: "/etc/hosts is what?" },
  ]);
});

test("L6 the answer is written as it comes, a line for each step, with nothing in it that moves the cursor", async () => {
  const { written } = await typed(["Hi"], [[say("a\u001b[2Jb\r"), say("\u202ec\td"), finish()]]);
  expect(written).toBe("> a[2Jbc\td\n> \n");
});

test("L6 a failure is said, and the next line goes on", async () => {
  const script = [[new ChatError("provider_overloaded", "Busy.\u0007")], "Fine."];
  const { written } = await typed(["1\r\n2\n/break\n"], script);
  expect(written).toBe("> \nfailed: Busy.\n> Fine.\n> \nfailed: it broke\n> \n");
});

test("L6 letters cut between two pieces are whole", async () => {
  const bytes = new TextEncoder().encode("é😀\n");
  const { asked } = await typed([bytes.slice(0, 1), bytes.slice(1, 4), bytes.slice(4)], ["ok"]);
  expect(asked).toEqual([{ role: "user", text: "é😀" }]);
});

test("L6 its signal ends it while it waits for a line, and while the model answers", async () => {
  const waiting = new AbortController();
  const { client } = scriptedChat(["x"]);
  const never: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const work = repl({ client, commands, input: never, output: { write() {} }, signal: waiting.signal });
  waiting.abort();
  await work;
  const controller = new AbortController();
  const stop: ScriptedStep = () => {
    queueMicrotask(() => controller.abort());
    return [say("hal"), "hang"];
  };
  const { written, asked } = await typed(["1\n2\n"], [stop], controller.signal);
  expect([written, asked.length]).toEqual(["> \n", 1]);
});

test("L6 its signal is a command's too, whose words are cleaned as an answer's are", async () => {
  const { client } = scriptedChat(["x"]);
  const controller = new AbortController();
  const set = commandSet([
    defineCommand({ name: "show", summary: "", run: async () => ({ text: "a\u001b[2Jb" }) }),
    defineCommand({
      name: "wait",
      summary: "",
      run: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          controller.abort();
        }),
    }),
  ]);
  let written = "";
  const output = { write: (text: string) => (written += text) };
  async function* input() {
    yield "/show\n/wait\nlate\n";
  }
  await repl({ client, commands: set, input: input(), output, signal: controller.signal });
  expect(written).toBe("> a[2Jb\n> \n");
});

test("L6 what the input throws is thrown, and half a letter at its end is not lost", async () => {
  const { asked } = await typed([new Uint8Array([72, 105, 0xc3])], ["ok"]);
  expect(asked).toEqual([{ role: "user", text: "Hi\ufffd" }]);
  const { client } = scriptedChat(["x"]);
  const broken: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("gone")) }),
  };
  await expect(repl({ client, commands, input: broken, output: { write() {} } })).rejects.toThrow("gone");
});
