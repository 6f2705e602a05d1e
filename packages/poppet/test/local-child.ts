/** Opens the small model, asks, and ends as told; its exit code is what a test looks at. */
import { openLocalModel } from "../src/models/local/open.ts";
import { modelsFolder, smallModelName } from "./small-model.ts";

type Ending = "close" | "leave" | "exit-loading" | "exit-reading" | "exit-answering" | "sigint" | "throw";

const ending = process.argv[2] as Ending;
const controller = new AbortController();
const { signal } = controller;
if (ending === "exit-loading") setTimeout(() => process.exit(7), 150);
// Not once: see the engine of the library.
process.on("SIGINT", () => controller.abort());
const local = await openLocalModel({
  ...{ model: smallModelName, settings: {}, facts: {}, modelsFolder, signal },
});
if (ending === "exit-reading") setTimeout(() => process.exit(7), 100);
const text = ending === "exit-reading" ? "word ".repeat(4_000) : "Tell me a very long story.";
const maxOutputTokens = ending === "close" || ending === "leave" ? 5 : 1_000;
let events = 0;
try {
  const messages = [{ role: "user", text }] as const;
  for await (const _ of local.model.stream({ system: "", messages, tools: [], maxOutputTokens, signal })) {
    if (++events !== 3) continue;
    if (ending === "exit-answering") process.exit(7);
    if (ending === "sigint") process.kill(process.pid, "SIGINT");
    if (ending === "throw") throw new Error("The reader failed.");
  }
} catch (thrown) {
  if (signal.aborted) process.exitCode = 130;
  else throw thrown;
} finally {
  if (ending !== "leave") await local.close();
}
