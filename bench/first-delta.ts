/** From the server's first delta to stdout: the built program beside a bare script, both long started when it comes. */
import { writeFileSync } from "node:fs";
import { startModelServer } from "../packages/poppet/test/model-server/index.ts";
import { median } from "./measure.ts";
import type { Line } from "./table.ts";

const quietMs = 400;

export async function benchFirstDelta(folder: string, rounds: number): Promise<readonly Line[]> {
  const server = await startModelServer({
    replies: [
      {
        parts: [
          { type: "delay", ms: quietMs },
          { type: "text", text: "now" },
        ],
      },
    ],
    afterLast: "repeat",
  });
  const baseUrl = server.baseUrl("openai-compatible");
  const config = `${folder}/first-delta.toml`;
  writeFileSync(
    config,
    `provider = "openai-compatible"\nmodel = "bench"\n[chat]\nnameSessions = false\n[providers.openai-compatible]\nbaseUrl = "${baseUrl}"\n`,
  );
  const path = (name: string) => new URL(name, import.meta.url).pathname;
  const env = { ...process.env, POPPET_HOME: `${folder}/first-delta`, POPPET_CONFIG: config };
  let number = 0;
  const lateness = async (argv: string[]): Promise<number> => {
    const run = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "ignore", env });
    await server.request(++number);
    const asked = performance.now();
    await run.stdout.getReader().read();
    const late = performance.now() - asked - quietMs;
    run.kill();
    await run.exited;
    return late;
  };
  const pairs: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const bare = await lateness(["bun", path("./floor/stream.ts"), baseUrl]);
    pairs.push({ bare, ours: await lateness(["bun", path("../dist/poppet.js"), "chat", "new", "hello"]) });
  }
  await server.close();
  const more = median(pairs.slice(1).map((pair) => pair.ours - pair.bare));
  return [
    {
      what: "first delta, from the server to stdout",
      value: `${median(pairs.map((pair) => pair.ours)).toFixed(1)} ms`,
      floor: `fetch script ${median(pairs.map((pair) => pair.bare)).toFixed(1)} ms`,
      ratio: `+${more.toFixed(1)} ms`,
      target: `+2 ms${more <= 2 ? "" : " MISSED"}`,
    },
  ];
}
