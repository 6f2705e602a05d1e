// What runs in the page: the library as it is published, a provider's package, and a model server behind this page.
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import { clearCommand, commandSet, createChat, defineTool, helpCommand, runCommand, undoCommand } from "@poppet/chat";
import { languageModel } from "@poppet/chat/ai-sdk";
import { decrypt, encrypt } from "@poppet/chat/encrypt";

const add = defineTool({
  name: "math.add",
  description: "adds",
  inputJsonSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  input: { "~standard": { version: 1, vendor: "page", validate: (value) => ({ value }) } },
  run: async ({ a, b }) => a + b,
});

const model = languageModel(
  new OpenAICompatibleChatLanguageModel("m", {
    provider: "page.chat",
    url: ({ path }) => `${location.origin}/v1${path}`,
    headers: () => ({ authorization: "Bearer key" }),
    // A browser's fetch wants to be called as the window's.
    fetch: (...call) => fetch(...call),
  }),
);
const commands = commandSet([helpCommand(), clearCommand(), undoCommand()]);

async function play() {
  const client = createChat({ model, system: "Be brief.", tools: [add] });
  const answer = await client.chat("1 + 2?");

  const stopping = new AbortController();
  let stopped = "";
  try {
    for await (const event of client.stream("And more?", { signal: stopping.signal })) {
      if (event.type === "text") stopping.abort();
    }
  } catch (thrown) {
    stopped = thrown.code;
  }

  const locked = await encrypt(await client.snapshot(), "a passphrase");
  const refused = await decrypt(locked, "another").catch((thrown) => thrown.code);
  const other = createChat({ model, system: "Be brief.", tools: [add] });
  await other.restore(await decrypt(locked, "a passphrase"));
  const again = await other.chat("Once more?");

  const undone = await runCommand(other, commands, "/undo");
  const text = await runCommand(other, commands, "/etc/hosts is what?");
  const left = await other.editor.read();
  return {
    answer: answer.text,
    stopped,
    refused,
    again: again.text,
    undone: undone.text,
    handled: text.handled,
    exchanges: left.exchanges.length,
  };
}

play().then(
  (result) => fetch("/result", { method: "POST", body: JSON.stringify(result) }),
  (thrown) => fetch("/result", { method: "POST", body: JSON.stringify({ thrown: `${thrown?.stack ?? thrown}` }) }),
);
