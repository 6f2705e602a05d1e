/** Search over a million messages, beside the raw query on the index. Takes a minute to fill. */
import { Database } from "bun:sqlite";
import { searchSessions } from "../packages/poppet/src/sessions/search.ts";
import { searchIndex } from "../packages/poppet/src/store/search-index.ts";
import { openStore } from "../packages/poppet/src/store/sqlite.ts";
import { median } from "./measure.ts";
import { seedSessions } from "./seed.ts";
import type { Line } from "./table.ts";

const sessions = 500_000;
const runs = 7;

export async function benchMillion(folder: string): Promise<readonly Line[]> {
  const home = `${folder}/million`;
  await seedSessions(home, sessions);
  const store = await openStore(`${home}/poppet.db`);
  const index = searchIndex(store, home);
  const filled = performance.now();
  await index.catchUp();
  const seconds = (performance.now() - filled) / 1000;
  const raw = new Database(`${home}/search.db`, { readonly: true });
  const query = raw.query("select rowid from search where search match ?1 order by bm25(search, 0, 1), rowid limit 10");
  const lines: Line[] = [];
  for (const word of ["needle", "project"]) {
    const [ours, floor]: [number[], number[]] = [[], []];
    for (let run = 0; run <= runs; run++) {
      const started = performance.now();
      query.all(`text : ("${word}")`);
      const between = performance.now();
      await searchSessions(index, word, 16_384);
      floor.push(between - started);
      ours.push(performance.now() - between);
    }
    const ratio = median(ours.slice(1)) / median(floor.slice(1));
    lines.push({
      what: `search for "${word}" in 1,000,000 messages`,
      value: `${median(ours.slice(1)).toFixed(1)} ms`,
      floor: `raw query ${median(floor.slice(1)).toFixed(1)} ms`,
      ratio: `${ratio.toFixed(2)}x`,
      target: `2x${ratio <= 2 ? "" : " MISSED"}`,
    });
  }
  raw.close();
  index.close();
  store.close();
  const value = `${seconds.toFixed(0)} s`;
  return [...lines, { what: "to index them from nothing", value, floor: "", ratio: "", target: "" }];
}
