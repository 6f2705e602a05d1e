/** How long a run in mid-answer takes to end after Ctrl-C, and after its reader has gone: to the process's exit. */
import { writeFileSync } from "node:fs";
import { median } from "./measure.ts";
import { startServer } from "./server.ts";
import type { Line } from "./table.ts";

const targetMs = 100;

export async function benchInterrupt(folder: string, rounds: number): Promise<readonly Line[]> {
  using server = await startServer(folder, {
    replies: [{ parts: [{ type: "text", text: "Half" }, { type: "stall" }] }],
    afterLast: "repeat",
  });
  const config = `${folder}/interrupt.toml`;
  writeFileSync(
    config,
    `provider = "openai-compatible"\nmodel = "bench"\n[providers.openai-compatible]\nbaseUrl = "${server.url}/v1"\n`,
  );
  const program = new URL("../dist/poppet.js", import.meta.url).pathname;
  const env = { ...process.env, POPPET_HOME: `${folder}/interrupt`, POPPET_CONFIG: config };

  async function once(end: "signal" | "reader"): Promise<number> {
    const run = Bun.spawn(["bun", program, "chat", "new", "hello"], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      env,
    });
    const reader = run.stdout.getReader();
    await reader.read();
    const started = performance.now();
    if (end === "signal") run.kill("SIGINT");
    else await reader.cancel();
    await run.exited;
    return performance.now() - started;
  }

  const lines: Line[] = [];
  for (const [end, what] of [
    ["signal", "Ctrl-C in mid-answer, to the exit"],
    ["reader", "the reader of stdout goes, to the exit"],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await once(end));
    const worst = Math.max(...times);
    lines.push({
      what,
      value: `${median(times).toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
      floor: "",
      ratio: "",
      target: `${targetMs} ms${worst <= targetMs ? "" : " MISSED"}`,
    });
  }
  return lines;
}
