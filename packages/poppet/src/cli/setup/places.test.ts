import { expect, test } from "bun:test";
import { defaultChat, defaultLimits, type Settings } from "../../settings.ts";
import { placesOf, type Surroundings } from "./places.ts";

const settings: Settings = {
  ...{ provider: null, model: null, chat: defaultChat, limits: defaultLimits },
  ...{ providers: {}, models: {}, toolBytes: 16_384 },
};
const bare: Surroundings = { servers: [], local: [], settings, env: {}, workload: null };

function labels(found: Partial<Surroundings>): readonly string[] {
  return placesOf({ ...bare, ...found }).map(({ label, detail = "" }) => `${label}: ${detail}`);
}

test("P2 P3 on a bare machine a model that needs no account comes first", () => {
  expect(labels({})).toEqual([
    "A model inside Poppet: no account",
    "Anthropic: needs an API key",
    "OpenAI: needs an API key",
    "Gemini: needs an API key",
    "OpenCode Go: needs an API key; for --coding only",
    "Another server: OpenRouter or your own, by its URL",
  ]);
});

test("P2 before it come servers that have models, the settings' server, and providers whose key is there", () => {
  const at = (port: number, ...models: string[]) => ({
    name: `S${port}`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    models,
  });
  const providers = {
    "openai-compatible": { baseUrl: "https://example.org/v1" },
    openai: { apiKey: "sk" },
  };
  const found = labels({
    servers: [at(1), at(2, "a", "b")],
    settings: { ...settings, providers },
    env: { GOOGLE_API_KEY: "k", ANTHROPIC_API_KEY: " " },
  });
  expect(found.slice(0, 6)).toEqual([
    "S2 on this machine: 127.0.0.1:2, 2 models",
    "The server of the settings: example.org",
    "OpenAI: key in the settings",
    "Gemini: key in GOOGLE_API_KEY",
    "A model inside Poppet: no account",
    "S1 on this machine: 127.0.0.1:1, no models yet",
  ]);
});

test("P2 a server of the settings that was found is there once", () => {
  const baseUrl = "http://127.0.0.1:11434/v1";
  const servers = [{ name: "Ollama", baseUrl, models: ["a"] }];
  const found = labels({ servers, settings: { ...settings, providers: { "openai-compatible": { baseUrl } } } });
  expect(found.filter((label) => /server of|on this machine/.test(label))).toEqual([
    "Ollama on this machine: 127.0.0.1:11434, 1 model",
  ]);
});

test("C15 what is only for coding is not offered for a session that is not", () => {
  expect(labels({ workload: "general" }).join()).not.toContain("OpenCode");
  expect(labels({ workload: "coding" }).join()).toContain("OpenCode");
});
