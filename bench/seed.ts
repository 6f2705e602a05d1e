/** Fills a data folder with many short sessions, through the store's own operations. */
import { acceptInput } from "../packages/poppet/src/store/inputs.ts";
import { completeRun, startRun } from "../packages/poppet/src/store/runs.ts";
import { openStore } from "../packages/poppet/src/store/sqlite.ts";

const words =
  "project plan garden river letter budget answer window coffee ticket number green review train market".split(" ");

/** Sessions of one exchange each; every hundredth mentions "needle". Returns the last one's ID. */
export async function seedSessions(home: string, count: number): Promise<string> {
  const store = await openStore(`${home}/poppet.db`);
  const newId = () => Bun.randomUUIDv7();
  const owner = newId();
  let last = "";
  const choice = { provider: "openai-compatible", model: "bench" };
  for (let from = 0; from < count; from += 1000) {
    await store.write("seed", function* () {
      for (let n = from; n < Math.min(from + 1000, count); n++) {
        const text = sentence(n, 5 + scattered(n, 60)) + (n % 100 === 0 ? " needle" : "");
        const [id, inputId, runId] = [newId(), newId(), newId()];
        last = id;
        const session = {
          id,
          agent: "main",
          channel: "cli",
          ...choice,
          workload: "general" as const,
          skill: null,
          project: null,
          title: text.slice(0, 80),
          now: n,
        };
        yield* acceptInput({
          inputId,
          runId,
          text,
          authority: "{}",
          waiter: owner,
          now: n,
          target: { type: "new", session },
        });
        yield* startRun(runId, owner, choice, n);
        const answer = {
          role: "assistant" as const,
          text: sentence(n * 7, 10 + scattered(n + 1, 200)),
          reasoning: "",
          toolCalls: [],
          ...choice,
          continuation: null,
          measured: null,
        };
        yield* completeRun({
          runId,
          owner,
          messages: [{ role: "user", text }, answer],
          ids: [inputId, newId()],
          usage: null,
          now: n,
        });
      }
    });
  }
  store.close();
  return last;
}

function sentence(seed: number, length: number): string {
  return Array.from({ length }, (_, i) => words[(seed * 31 + i * 17 + (seed >> 3) * i) % words.length]).join(" ");
}

/** A number below the limit that looks random and is the same each time. */
function scattered(seed: number, limit: number): number {
  return (Math.imul(seed, 2_654_435_761) >>> 8) % limit;
}
