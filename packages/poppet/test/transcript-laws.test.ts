import { afterAll, expect, test } from "bun:test";
import { playTranscript } from "@poppet/chat/testing";
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

test("L6 laws of the transcript in the database: many sessions in one, each as if it were alone", async () => {
  let played = 0;
  await fc.assert(
    fc.asyncProperty(transcriptSteps, async (steps) => {
      const id = newId();
      const facts = { agent: "main", channel: "cli", provider: null, model: null, workload: "general" as const };
      await store.write("test", () => insertSession({ ...facts, id, title: null, skill: null, project: null, now: 1 }));
      await playTranscript(storedTranscript(store, id, { newId, now: () => 1 }), steps);
      played++;
    }),
    { numRuns: 80 },
  );
  expect(played).toBe(80);
});
