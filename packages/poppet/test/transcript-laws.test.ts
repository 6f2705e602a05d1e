import { afterAll, expect, test } from "bun:test";
import {
  clearCommand,
  commandSet,
  compact,
  compactCommand,
  createChat,
  memoryTranscript,
  runCommand,
  type Transcript,
  undoCommand,
} from "@poppet/chat";
import { playTranscript, scriptedModel } from "@poppet/chat/testing";
import fc from "fast-check";
import { transcriptSteps } from "../../chat/test/transcript-steps.ts";
import { insertSession } from "../src/store/sessions.ts";
import { openStore } from "../src/store/sqlite.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { temporaryFolder } from "./assistant.ts";

const folder = temporaryFolder();
const store = await openStore(`${folder.path}/poppet.db`);
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

const newId = () => Bun.randomUUIDv7();

async function newSession(): Promise<Transcript> {
  const id = newId();
  const facts = { agent: "main", channel: "cli", provider: null, model: null, workload: "general" as const };
  await store.write("test", () => insertSession({ ...facts, id, title: null, skill: null, project: null, now: 1 }));
  return storedTranscript(store, id, { newId, now: () => 1 });
}

test("L6 laws of the transcript in the database: many sessions in one, each as if it were alone", async () => {
  let played = 0;
  await fc.assert(
    fc.asyncProperty(transcriptSteps, async (steps) => {
      await playTranscript(await newSession(), steps);
      played++;
    }),
    { numRuns: 80 },
  );
  expect(played).toBe(80);
});

test("L6 a client over a session in the database does what it does in memory, command by command", async () => {
  const commands = commandSet([clearCommand(), compactCommand(), undoCommand()]);
  const typed = [
    "one, with many words that are to be shortened",
    "two",
    "three",
    "/compact",
    "four",
    "/undo",
    "/undo",
    "/undo",
    "/undo",
  ];
  const talk = async (transcript: Transcript) => {
    const model = scriptedModel([({ messages }) => (messages.length === 1 ? "an answer" : `${messages.length}`)]);
    const client = createChat({ model, transcript, policy: compact({ keep: 1, at: Infinity }) });
    const said: string[] = [];
    for (const text of [...typed, "five", "/clear", "/undo", "six"]) {
      const outcome = await runCommand(client, commands, text);
      said.push(outcome.handled ? outcome.text : (await client.chat(text)).text);
    }
    await client.restore(await client.snapshot());
    await client.chat("last");
    return { said, sent: model.requests.map((request) => request.messages) };
  };
  const stored = await talk(await newSession());
  expect(stored).toEqual(await talk(memoryTranscript()));
  expect(stored.said).toContain("Took back: one, with many words that are to be shortened");
});
