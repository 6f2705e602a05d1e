/** A session of 100,000 entries beside one of 100: what the model sees, and a new tip, must not cost more. */
import { type Message, readContext } from "@poppet/chat";
import { type EntryPlace, insertEntries } from "../packages/poppet/src/store/entries.ts";
import { change } from "../packages/poppet/src/store/operation.ts";
import { insertSession } from "../packages/poppet/src/store/sessions.ts";
import { openStore, type Store } from "../packages/poppet/src/store/sqlite.ts";
import { storedTranscript } from "../packages/poppet/src/store/transcript.ts";
import { median } from "./measure.ts";
import type { Line } from "./table.ts";

const newId = () => Bun.randomUUIDv7();
const budget = { exchanges: 40, bytes: 2_097_152 };
const runs = 200;

export async function benchLong(folder: string): Promise<readonly Line[]> {
  const store = await openStore(`${folder}/long/poppet.db`);
  const [short, long] = [await session(store, 100), await session(store, 100_000)];
  const timed = { contextShort: [0], contextLong: [0], tipShort: [0], tipLong: [0] };
  for (let run = 0; run < runs; run++) {
    timed.contextShort.push(await context(store, short));
    timed.contextLong.push(await context(store, long));
    timed.tipShort.push(await newTip(store, short));
    timed.tipLong.push(await newTip(store, long));
  }
  store.close();
  return [
    line("context of a session of 100,000 entries", timed.contextLong, timed.contextShort),
    line("a new exchange on it", timed.tipLong, timed.tipShort),
  ];
}

function line(what: string, values: readonly number[], floors: readonly number[]): Line {
  const ratio = median(values) / median(floors);
  return {
    what,
    value: `${median(values).toFixed(2)} ms`,
    floor: `of 100 entries ${median(floors).toFixed(2)} ms`,
    ratio: `${ratio.toFixed(2)}x`,
    target: `1.5x${ratio <= 1.5 ? "" : " MISSED"}`,
  };
}

async function session(store: Store, entries: number): Promise<string> {
  const id = newId();
  await store.write("seed", function* () {
    const made = { id, agent: "main", channel: "cli", provider: null, model: null, workload: "general" as const };
    const { n } = yield* insertSession({ ...made, title: null, skill: null, project: null, now: 1 });
    let parent: number | null = null;
    for (let at = 0; at < entries; at += 2) {
      const place: EntryPlace = { home: n, parent, run: null, exchange: newId(), now: at };
      const content = exchange(`question ${at} with some words around it`);
      const written = yield* insertEntries(
        content.map((one) => ({ id: newId(), content: one, readable: true })),
        place,
      );
      parent = written.last;
    }
    yield* change("update session set tip = $1 where n = $2", parent, n);
  });
  return id;
}

function exchange(text: string): Message[] {
  const answer = { text: `answer to ${text}`, reasoning: "", toolCalls: [], provider: "p", model: "m" };
  return [
    { role: "user", text },
    { role: "assistant", ...answer, continuation: null, measured: null },
  ];
}

async function context(store: Store, id: string): Promise<number> {
  const transcript = storedTranscript(store, id, { newId, now: () => 1 });
  const started = performance.now();
  const { exchanges } = await readContext(transcript, await transcript.tip(), budget);
  if (exchanges.length !== budget.exchanges) throw new Error(`${exchanges.length} exchanges`);
  return performance.now() - started;
}

async function newTip(store: Store, id: string): Promise<number> {
  const transcript = storedTranscript(store, id, { newId, now: () => 1 });
  const started = performance.now();
  const tip = await transcript.tip();
  await transcript.commit({ expected: tip, parent: tip, exchange: newId(), content: exchange("one more") });
  return performance.now() - started;
}
