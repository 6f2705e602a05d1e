/** A prompt in thirty lines: commands, answers as they come, Ctrl-C stops an answer. `bun examples/repl.ts` */
import process from "node:process";
import { createInterface } from "node:readline";
import { openai } from "@ai-sdk/openai";
import { clearCommand, commandSet, createChat, helpCommand, messageOf, runCommand, undoCommand } from "@poppet/chat";
import { languageModel } from "@poppet/chat/ai-sdk";

const client = createChat({ model: languageModel(openai(process.env.MODEL ?? "gpt-5.2")), system: "Be brief." });
const commands = commandSet([helpCommand(), clearCommand(), undoCommand()]);
let answering: AbortController | null = null;
process.on("SIGINT", () => (answering ? answering.abort() : process.exit(130)));

// What a model writes must not move the cursor or change the terminal.
function show(text: string): void {
  process.stdout.write(text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/g, ""));
}

show("> ");
for await (const line of createInterface({ input: process.stdin })) {
  answering = new AbortController();
  const { signal } = answering;
  try {
    const outcome = await runCommand(client, commands, line, { signal });
    const events = outcome.handled || line.trim() === "" ? [] : client.stream(line, { signal });
    if (outcome.handled) show(outcome.text);
    for await (const event of events) if (event.type === "text") show(event.delta);
  } catch (error) {
    show(`\nfailed: ${messageOf(error)}`);
  }
  answering = null;
  show("\n> ");
}
