/** The scripted model server in a process of its own, so that it does not share the measured program's time. */
import { writeFileSync } from "node:fs";
import type { Script } from "../packages/poppet/test/model-server/script.ts";

export interface BenchServer extends Disposable {
  readonly url: string;
}

export async function startServer(folder: string, script: Script): Promise<BenchServer> {
  const file = `${folder}/script.json`;
  writeFileSync(file, JSON.stringify(script));
  const main = new URL("../packages/poppet/test/model-server/main.ts", import.meta.url).pathname;
  const server = Bun.spawn(["bun", main, "--script", file], { stdout: "pipe", stderr: "inherit" });
  const reader = server.stdout.getReader();
  const url = new TextDecoder().decode((await reader.read()).value).split("\n")[0] ?? "";
  // Its log is read and dropped, so that it never waits for a reader.
  (async () => {
    while (!(await reader.read()).done);
  })().catch(() => {});
  return { url, [Symbol.dispose]: () => server.kill() };
}
