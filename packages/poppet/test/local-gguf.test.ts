/** The library's engine by itself: in a client, and on Node from the package as it is published. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandSet, createChat, runCommand, undoCommand } from "@poppet/chat";
import { localGguf } from "@poppet/chat/local-gguf";
import { publishedLibrary } from "../../chat/test/published.ts";
import { temporaryFolder } from "./assistant.ts";
import { smallModel } from "./small-model.ts";

test("L7 a GGUF file is a model for a client, with its window", async () => {
  const { path } = await smallModel();
  const { model, contextWindow, maxOutputTokens, close } = await localGguf({ path, contextWindow: 1024 });
  try {
    expect([contextWindow, maxOutputTokens, model.modelId]).toEqual([1024, 256, "smollm2-135m"]);
    const client = createChat({ model, contextWindow, maxOutputTokens, system: "You are a helpful assistant." });
    expect((await client.chat("What is the capital of France?")).text).toContain("Paris");
    expect(client.usage().turns.tokens?.outputTokens).toBeGreaterThan(0);
    expect(await runCommand(client, commandSet([undoCommand()]), "/undo")).toMatchObject({ changed: true });
  } finally {
    await close();
  }
}, 300_000);

test("L7 what is no model is told by a code, before the engine sees it", async () => {
  for (const path of [import.meta.path, "/no/such/file.gguf"]) {
    await expect(localGguf({ path })).rejects.toMatchObject({ code: "local_engine" });
  }
});

test("L9 it runs on Node, from the package as it is published", async () => {
  const { path } = await smallModel();
  const { folder } = publishedLibrary();
  using place = temporaryFolder();
  const program = join(place.path, "ask.mjs");
  writeFileSync(
    program,
    `import { createChat } from ${JSON.stringify(`${folder}/index.js`)};
    import { localGguf } from ${JSON.stringify(`${folder}/local-gguf/local-gguf.js`)};
    const { model, close } = await localGguf({ path: ${JSON.stringify(path)} });
    const client = createChat({ model, system: "You are a helpful assistant." });
    console.log((await client.chat("What is the capital of France?")).text);
    await close();`,
  );
  const run = Bun.spawn(["node", program], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  expect([await run.exited, err]).toEqual([0, ""]);
  expect(out).toContain("Paris");
}, 300_000);
