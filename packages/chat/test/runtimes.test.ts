import { beforeAll, describe, expect, test } from "bun:test";
import { deno, node } from "./from-npm.ts";
import { publishedLibrary } from "./published.ts";

let folder = "";
beforeAll(() => {
  ({ folder } = publishedLibrary());
});

async function smoke(command: string[]): Promise<string> {
  const run = Bun.spawn([...command, `${import.meta.dir}/smoke.mjs`, folder], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  expect([await run.exited, err]).toEqual([0, ""]);
  return out.trim();
}

describe("L9 the library, as it is published, runs on", () => {
  test("Bun", async () => expect(await smoke([process.execPath])).toBe("ok bun"));
  test("the machine's Node", async () => expect(await smoke(["node"])).toBe("ok node"));
  test.each(["22.23.3", "24.21.0"] as const)(
    "Node %s",
    async (version) => expect(await smoke([node(version)])).toBe("ok node"),
    300_000,
  );
  test("Deno", async () => expect(await smoke([deno(), "run", "--allow-read", "--no-lock"])).toBe("ok deno"), 300_000);
});
