/** The built program as whole processes: start, one question, a page of sessions, a search. */
import { mkdirSync, writeFileSync } from "node:fs";
import { type Command, measure, peakMemory } from "./measure.ts";
import { seedSessions } from "./seed.ts";
import { startServer } from "./server.ts";
import { compare, type Line } from "./table.ts";

const sessions = 10_000;
const program = new URL("../dist/poppet.js", import.meta.url).pathname;
const words = Array.from({ length: 200 }, (_, n) => `word${n} `);

export async function benchPrograms(folder: string, rounds: number): Promise<readonly Line[]> {
  const [fresh, full] = [`${folder}/fresh`, `${folder}/full`];
  for (const home of [fresh, full]) mkdirSync(home);
  const seeded = await seedSessions(full, sessions);
  using server = await startServer(folder, {
    replies: [{ parts: [{ type: "text", text: words }] }],
    afterLast: "repeat",
  });
  const baseUrl = `${server.url}/v1`;
  const config = settingsFile(`${folder}/config.toml`, baseUrl, false);
  const poppet = (home: string, ...words: string[]) => ({
    name: words.slice(0, 2).join(" "),
    argv: ["bun", program, ...words],
    env: { POPPET_HOME: home, POPPET_CONFIG: config },
  });
  const floorScript = new URL("./floor/stream.ts", import.meta.url).pathname;
  const bareFetch = { name: "fetch script", argv: ["bun", floorScript, baseUrl] };
  const question = poppet(fresh, "chat", "new", "hello");
  const named = {
    ...question,
    env: { ...question.env, POPPET_CONFIG: settingsFile(`${folder}/naming.toml`, baseUrl, true) },
  };
  const sdk = { name: "AI SDK alone", argv: ["bun", await buildFloor(folder), baseUrl] };
  const [bareMemory, memory] = await peakMemory([bareFetch, question], 5);
  const [nothing, version, list, show, search, common, bare, sdkAlone, ask, askNamed] = await measure(
    [
      { name: "bun -e 0", argv: ["bun", "-e", "0"] },
      poppet(fresh, "--version"),
      poppet(full, "chat", "sessions"),
      poppet(full, "chat", "show", seeded),
      poppet(full, "chat", "search", "needle"),
      poppet(full, "chat", "search", "project"),
      bareFetch,
      sdk,
      question,
      named,
    ],
    rounds,
  );
  return [
    compare("start: --version", version, nothing, "wallMs", null),
    compare("chat sessions, 50 of 10,000", list, nothing, "wallMs", 3),
    compare("chat show, one of 10,000", show, nothing, "wallMs", null),
    compare("chat search, 100 hits in 10,000 sessions", search, nothing, "wallMs", null),
    compare("chat search, a word of every message", common, nothing, "wallMs", null),
    compare("chat new, 200 words streamed", ask, bare, "wallMs", 3),
    compare("its provider's package alone", sdkAlone, bare, "wallMs", null),
    compare("chat new, over that package", ask, sdkAlone, "wallMs", null),
    compare("chat new, with a title (200 words too)", askNamed, ask, "wallMs", null),
    compare("chat new, CPU", ask, bare, "cpuMs", null),
    compare("chat new, peak memory", memory, bareMemory, "peakMiB", null),
    await largestAnswer(folder, question, floorScript),
  ];
}

/** The memory that an answer of the largest size allowed takes, in pieces of 16 bytes. */
async function largestAnswer(folder: string, question: Command, floorScript: string): Promise<Line> {
  const pieces = 131_072 / 16;
  const parts = [{ type: "deltas" as const, count: pieces, text: "sixteen bytes.. " }];
  using server = await startServer(folder, { replies: [{ parts }], afterLast: "repeat" });
  const baseUrl = `${server.url}/v1`;
  const config = settingsFile(`${folder}/largest.toml`, baseUrl, false);
  const largest = { ...question, env: { POPPET_HOME: `${folder}/largest`, POPPET_CONFIG: config } };
  const bare = { name: "fetch script", argv: ["bun", floorScript, baseUrl] };
  const [floor, memory] = await peakMemory([bare, largest], 5);
  return compare("chat new, 128 KiB answer, peak memory", memory, floor, "peakMiB", null);
}

/** Writes the settings of a program that asks this server, for titles too or not; the file's path. */
function settingsFile(path: string, baseUrl: string, nameSessions: boolean): string {
  writeFileSync(
    path,
    `provider = "openai-compatible"
model = "bench"
[chat]
nameSessions = ${nameSessions}
[providers.openai-compatible]
baseUrl = "${baseUrl}"
`,
  );
  return path;
}

async function buildFloor(folder: string): Promise<string> {
  const entry = new URL("./floor/ai-sdk.ts", import.meta.url).pathname;
  const outdir = `${folder}/floor`;
  await Bun.build({ entrypoints: [entry], outdir, target: "bun", format: "cjs", bytecode: true, minify: true });
  return `${outdir}/ai-sdk.js`;
}
