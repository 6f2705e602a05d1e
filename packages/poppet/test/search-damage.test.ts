import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { openStore } from "../src/store/sqlite.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

/** What a disk can do to a file. */
const damages = fc.oneof(
  fc.record({ type: fc.constant("cut" as const), at: fc.nat(1_000) }),
  fc.record({ type: fc.constant("zeros" as const), at: fc.nat(1_000), length: fc.integer({ min: 1, max: 4_096 }) }),
  fc.record({
    type: fc.constant("bytes" as const),
    at: fc.nat(1_000),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
  }),
);
type Damage = typeof damages extends fc.Arbitrary<infer One> ? One : never;

/** `at` is in thousandths of the file. */
function damaged(whole: Uint8Array, damage: Damage): Uint8Array {
  const at = Math.floor((whole.length * damage.at) / 1_000);
  if (damage.type === "cut") return whole.slice(0, at);
  const copy = whole.slice();
  if (damage.type === "zeros") copy.fill(0, at, at + damage.length);
  else copy.set(damage.bytes.slice(0, Math.max(0, copy.length - at)), at);
  return copy;
}

test("§8.13 law: however the index is damaged, answers are saved, searches are answered, and without it all is found", async () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/search.db`;
  const first = await testAssistant({ home: folder.path });
  const { sessionId } = await ask(first, "early bird");
  const store = await openStore(`${folder.path}/poppet.db`);
  const transcript = storedTranscript(store, sessionId, { newId: () => Bun.randomUUIDv7(), now: () => 1 });
  const expected = await transcript.tip();
  const content = Array.from({ length: 400 }, (_, i) => ({
    role: "user" as const,
    text: `some words ${i} ${i * 7919}`,
  }));
  await transcript.commit({ expected, parent: expected, exchange: "bulk", content });
  store.close();
  await first.search("bird");
  await first.close();
  const database = new Database(path);
  database.run("pragma wal_checkpoint(truncate)");
  database.close();
  const whole = new Uint8Array(readFileSync(path));
  let noticed = 0;
  let asked = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(damages, { minLength: 1, maxLength: 3 }), async (list) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
      writeFileSync(path, list.reduce(damaged, whole));
      const assistant = await testAssistant({ home: folder.path });
      try {
        const word = `worm${asked++}`;
        expect((await ask(assistant, word)).outcome.state).toBe("completed");
        await assistant.search("bird");
        const { matches } = await assistant.search(word);
        if (matches.length === 1) noticed++;
      } finally {
        await assistant.close();
      }
    }),
    { numRuns: 40 },
  );
  expect(noticed).toBeGreaterThan(20);
  rmSync(path);
  const last = await testAssistant({ home: folder.path });
  for (const word of ["bird", "worm0", `worm${asked - 1}`]) expect((await last.search(word)).matches).toHaveLength(1);
  await last.close();
});
