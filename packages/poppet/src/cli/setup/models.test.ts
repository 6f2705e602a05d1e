import { expect, test } from "bun:test";
import { listModels } from "../../models/list.ts";
import { defaultChat, defaultLimits, type Settings } from "../../settings.ts";
import { isModelName, listedOptions, ownReference, servedOptions } from "./models.ts";

const settings: Settings = {
  ...{ provider: null, model: null, chat: defaultChat, limits: defaultLimits },
  ...{ providers: {}, models: {}, toolBytes: 16_384 },
};
const deps = { env: {}, now: () => 0, modelsFolder: "/nowhere" };

test("P2 each provider's list begins with a model that is good for most and that the catalogue has", async () => {
  const firsts: string[] = [];
  for (const provider of ["anthropic", "openai", "gemini", "opencode-go", "local"] as const) {
    const models = await listModels(provider, settings, deps);
    const first = listedOptions(models, null)[0]?.value ?? "";
    expect(models.map(({ model }) => model)).toContain(first);
    firsts.push(first);
  }
  expect(firsts).toEqual(["claude-sonnet-5-5", "gpt-6.1-sol", "gemini-3.8-flash", "glm-5.3", "qwen3-1.7b"]);
});

test("P2 the model in use comes first, one that is not listed changes nothing", async () => {
  const models = await listModels("anthropic", settings, deps);
  expect(listedOptions(models, "claude-haiku-5-5")[0]?.value).toBe("claude-haiku-5-5");
  expect(listedOptions(models, "gone")[0]?.value).toBe("claude-sonnet-5-5");
});

test("P2 what a server lists: models to talk to first, names that the settings refuse not at all", () => {
  const options = servedOptions(["nomic-embed-text", "a\x1b[2J", " b", "llama", "x".repeat(600)], null);
  expect(options.map(({ value }) => value)).toEqual(["llama", "nomic-embed-text"]);
  expect(isModelName("qwen3:8b")).toBe(true);
});

test("P2 a local model of one's own is a file or a repository of the hub", () => {
  expect(ownReference("hf:owner/repo:Q4")).toBe("hf:owner/repo:Q4");
  expect(ownReference("./mine.gguf")).toBe("./mine.gguf");
  expect(ownReference("qwen")).toBeNull();
});
