import { describe, expect, test } from "bun:test";
import { testSettings } from "../../test/assistant.ts";
import { startModelServer } from "../../test/model-server/index.ts";
import { failureOf } from "../../test/providers/setup.ts";
import { type ProviderName, providerNames, type Settings } from "../settings.ts";
import { catalogueOf, factsOf } from "./catalogue.ts";
import { connectionTo } from "./connection.ts";
import { listModels } from "./list.ts";
import { keyOf } from "./providers.ts";
import { openModel, requestMsOf } from "./registry.ts";

const settings = (more: Partial<Settings> = {}) => testSettings({ provider: null, model: null, ...more });
const base = settings();
const deps = { env: {}, now: Date.now, modelsFolder: "" };
const signal = new AbortController().signal;

describe("P1 keys and addresses", () => {
  test("P1 the settings' key wins over the environment's, which comes in as a value", () => {
    const env = { OPENAI_API_KEY: "from-env" };
    expect(keyOf("openai", base, env)).toBe("from-env");
    expect(keyOf("openai", settings({ providers: { openai: { apiKey: "from-settings" } } }), env)).toBe(
      "from-settings",
    );
    expect(keyOf("openai", base, { OPENAI_API_KEY: "  " })).toBeNull();
    expect(keyOf("gemini", base, { GOOGLE_GENERATIVE_AI_API_KEY: "g" })).toBe("g");
  });

  test.each(["openai", "anthropic", "gemini", "opencode-go"] as const)(
    "P1 %s without a key says how to set one",
    async (provider) => {
      const failure = await failureOf(openModel({ provider, model: "m" }, base, deps, signal));
      expect(failure.code).toBe("provider_not_configured");
      expect(failure.message).toMatch(
        new RegExp(`Set [A-Z_]+_API_KEY in the environment or \\[providers\\.${provider}\\] apiKey`),
      );
    },
  );

  test("P1 a model server needs an address and no key", async () => {
    const choice = { provider: "openai-compatible", model: "m" } as const;
    const failure = await failureOf(openModel(choice, base, deps, signal));
    expect([failure.code, failure.message]).toEqual(["provider_not_configured", expect.stringContaining("baseUrl")]);
    const right = settings({ providers: { "openai-compatible": { baseUrl: "http://127.0.0.1:1/v1/" } } });
    expect(connectionTo("openai-compatible", right, deps)).toMatchObject({
      baseUrl: "http://127.0.0.1:1/v1",
      apiKey: null,
    });
  });
});

describe("P4 the catalogue", () => {
  test.each(["openai", "anthropic", "gemini", "opencode-go"] as const)(
    "P4 knows the models of %s",
    async (provider) => {
      const models = await catalogueOf(provider);
      expect(models.size).toBeGreaterThan(10);
      for (const [id, facts] of models) {
        expect(id).not.toBe("");
        expect(facts.contextWindow).toBeGreaterThan(4000);
        expect(facts.maxOutputTokens).toBeGreaterThan(0);
        expect(facts.price.output).toBeGreaterThanOrEqual(0);
      }
    },
  );

  test("P4 settings win, figure by figure", async () => {
    expect(await factsOf("openai", "gpt-5", base)).toEqual({
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      tools: true,
    });
    const set = settings({ models: { "openai/gpt-5": { contextWindow: 5000, tools: false } } });
    expect(await factsOf("openai", "gpt-5", set)).toEqual({
      contextWindow: 5000,
      maxOutputTokens: 128_000,
      tools: false,
    });
    expect(await factsOf("openai-compatible", "x", base)).toEqual({});
  });

  test("P4 an unknown model has unknown limits and tools", async () => {
    const opened = await openModel(
      { provider: "openai", model: "new" },
      base,
      { ...deps, env: { OPENAI_API_KEY: "k" } },
      signal,
    );
    expect(opened).toMatchObject({
      contextWindow: null,
      maxOutputTokens: null,
      model: { supportsTools: true, provider: "openai", modelId: "new" },
    });
    await opened.close();
  });
});

describe("§8.7 the deadline of a request", () => {
  test.each([
    ["openai", 60_000],
    ["anthropic", 60_000],
    ["gemini", 60_000],
    ["opencode-go", 60_000],
    ["openai-compatible", 300_000],
    ["local", 300_000],
  ] as const)("§8.7 %s: %d ms, unless the settings say otherwise", (provider: ProviderName, ms) => {
    expect(requestMsOf(provider, base)).toBe(ms);
    expect(requestMsOf(provider, settings({ providers: { [provider]: { requestMs: 5 } } }))).toBe(5);
  });
});

describe("P2 listing models", () => {
  test("P2 the catalogue's models and the settings' own", async () => {
    const models = await listModels("openai", settings({ models: { "openai/mine": { contextWindow: 9 } } }), deps);
    expect(models.find((model) => model.name === "openai/gpt-5")).toMatchObject({
      contextWindow: 400_000,
      tools: true,
    });
    expect(models.find((model) => model.name === "openai/mine")).toMatchObject({
      contextWindow: 9,
      tools: null,
      price: null,
    });
    expect(models.map((model) => model.name)).toEqual(models.map((model) => model.name).sort());
  });

  test("P2 what a model server lists, by one request with its key", async () => {
    const server = await startModelServer({ replies: [], models: ["b", "a"], key: "k-1234" });
    const at = (apiKey: string) =>
      settings({ providers: { "openai-compatible": { baseUrl: server.baseUrl("openai-compatible"), apiKey } } });
    expect((await listModels("openai-compatible", at("k-1234"), deps)).map((model) => model.model)).toEqual(["a", "b"]);
    const failure = await failureOf(listModels("openai-compatible", at("zq-9Hs71kPl0"), deps));
    expect([failure.code, failure.message.includes("zq-9Hs71kPl0")]).toEqual(["provider_auth", false]);
    expect(server.requests.map(({ method, path }) => [method, path])).toEqual([
      ["GET", "/v1/models"],
      ["GET", "/v1/models"],
    ]);
    const nowhere = settings({ providers: { "openai-compatible": { baseUrl: server.url } } });
    expect((await failureOf(listModels("openai-compatible", nowhere, deps))).message).toStartWith(
      "There is no list of models at",
    );
    await server.close();
    expect((await failureOf(listModels("openai-compatible", at("k"), deps))).code).toBe("provider_network");
  });

  test("P2 a page that is no list says so", async () => {
    const page = { ...deps, fetch: async () => new Response("<html>") };
    const at = settings({ providers: { "openai-compatible": { baseUrl: "http://127.0.0.1:1" } } });
    expect((await failureOf(listModels("openai-compatible", at, page))).code).toBe("provider_malformed");
  });
});

test("P1 opencode-go is asked with its session", async () => {
  const server = await startModelServer({ replies: [{ parts: [{ type: "text", text: "Hi" }] }] });
  const at = settings({
    providers: { "opencode-go": { baseUrl: server.baseUrl("openai-compatible"), apiKey: "k-1234" } },
  });
  const opened = await openModel(
    { provider: "opencode-go", model: "kimi-k3" },
    at,
    { ...deps, sessionId: "s-1" },
    signal,
  );
  const request = { system: "", messages: [{ role: "user", text: "Hi" }] as const, tools: [], signal };
  expect((await Array.fromAsync(opened.model.stream(request))).length).toBe(2);
  expect(server.requests[0]?.headers.get("x-opencode-session")).toBe("s-1");
  await server.close();
});

test("P1 opening a provider loads its package and no other", async () => {
  const script = `
    const { openModel } = await import(${JSON.stringify(new URL("./registry.ts", import.meta.url).pathname)});
    const before = Object.keys(require.cache).filter((path) => path.includes("@ai-sdk")).length;
    const settings = { limits: {}, models: {}, providers: { anthropic: { apiKey: "k" } } };
    await openModel({ provider: "anthropic", model: "m" }, settings, { env: {}, now: Date.now, modelsFolder: "" }, new AbortController().signal);
    const packages = new Set(Object.keys(require.cache).map((path) => /@ai-sdk\\/(openai-compatible|openai|anthropic|google)\\//.exec(path)?.[1]).filter(Boolean));
    console.log(before, [...packages].join());`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  expect((await new Response(child.stdout).text()).trim()).toBe("0 anthropic");
});

test("P1 every provider of the settings can be listed", async () => {
  for (const provider of providerNames) {
    if (provider !== "openai-compatible") expect(Array.isArray(await listModels(provider, base, deps))).toBe(true);
  }
});
