import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PoppetError } from "../error.ts";
import { defaultLimits } from "../settings.ts";
import { type Config, loadConfig } from "./load.ts";
import { configFile, dataFolder } from "./location.ts";
import { settingsAsJson, settingsAsToml } from "./show.ts";
import { saveChoice } from "./write.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "poppet-config-"));
  folders.push(made);
  return made;
}

async function withFile(text: string): Promise<{ readonly HOME: string; readonly POPPET_CONFIG: string }> {
  const home = await folder();
  await writeFile(join(home, "config.toml"), text);
  return { HOME: home, POPPET_CONFIG: join(home, "config.toml") };
}

async function refusal(loading: Promise<Config>): Promise<string> {
  const thrown: unknown = await loading.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(PoppetError);
  return PoppetError.isInstance(thrown) ? `${thrown.code} ${thrown.message}` : "";
}

test("S0 the places: Poppet's variables, then the XDG folders, then the home", () => {
  expect(configFile({ HOME: "/h" })).toBe("/h/.config/poppet/config.toml");
  expect(dataFolder({ HOME: "/h/" })).toBe("/h/.local/share/poppet");
  expect(configFile({ HOME: "/h", XDG_CONFIG_HOME: "/x/" })).toBe("/x/poppet/config.toml");
  expect(dataFolder({ HOME: "/h", XDG_DATA_HOME: "relative" })).toBe("/h/.local/share/poppet");
  expect(configFile({ POPPET_CONFIG: "/c/my.toml" })).toBe("/c/my.toml");
  expect(dataFolder({ POPPET_HOME: "data" })).toBe(`${process.cwd()}/data`);
  expect(() => dataFolder({})).toThrow("HOME");
});

test("S0 no file: the defaults", async () => {
  const config = await loadConfig({ HOME: await folder() });
  expect(config.fileExists).toBe(false);
  expect(config.settings).toEqual({
    ...{ provider: null, model: null, limits: defaultLimits },
    chat: { logReasoning: false, markdown: true, nameSessions: true },
    ...{ providers: {}, models: {}, toolBytes: 16_384 },
  });
});

test("S0 the file's settings, under the environment's", async () => {
  const env = await withFile(
    'provider = "openai"\nmodel = "a"\n[limits]\nsteps = 3\n[models."openai/a"]\ncontextWindow = 1000\n',
  );
  const file = await loadConfig(env);
  expect([file.settings.provider, file.settings.model, file.settings.limits.steps]).toEqual(["openai", "a", 3]);
  expect(file.settings.limits.toolCalls).toBe(40);
  const over = await loadConfig({ ...env, POPPET_PROVIDER: "local", POPPET_MODEL: "b", POPPET_TOOL_BYTES: "1024" });
  expect([over.settings.provider, over.settings.model, over.settings.toolBytes]).toEqual(["local", "b", 1024]);
});

test.each([
  [
    "[chat]\n\nlogReasonning = true",
    ':3: chat.logReasonning is no setting: known here are logReasoning, markdown, nameSessions; did you mean "logReasoning"?',
  ],
  ["providr = 'local'", 'did you mean "provider"?'],
  ['provider = "opnai"', ':1: provider must be one of "openai", '],
  ['provider = "opnai"', '; did you mean "openai"?'],
  ["[providers.local]\ngpu = 'of'", ':2: providers.local.gpu must be one of "auto", "off"; did you mean "off"?'],
  ["# x\n[limits]\nsteps = '20'", ":3: limits.steps must be a whole number from 1 to 10000"],
  ["limits = 3", ":1: limits must be a table"],
  ["[limits]\nsteps = 1.5", "limits.steps must be a whole number"],
  ["[providers.openai]\nbaseUrl = 'ftp://x'", ":2: providers.openai.baseUrl must be an http or https URL"],
  ["[providers.opena]\nbaseUrl = 'http://x'", 'did you mean "openai"?'],
  [
    "[providers.local]\nbaseUrl = 'http://x'",
    "providers.local.baseUrl is no setting: known here are requestMs, threads, gpu",
  ],
  ["[models.gpt]\ntools = true", 'models.gpt is no setting: a name here is "PROVIDER/MODEL", in quotes'],
  ["[chat]\nlogReasoning = tru", ":2: not valid TOML: "],
  ["a = 1979-05-27", "a is no setting"],
])("S0 %j is refused with the place, the key and what is allowed", async (text, expected) => {
  const env = await withFile(text);
  const message = await refusal(loadConfig(env));
  expect(message).toStartWith(`config_invalid ${env.POPPET_CONFIG}`);
  expect(message).toContain(expected);
  expect(message).not.toContain("\n");
});

test("S0 a secret is never in an error or in what is shown", async () => {
  const bad = await withFile("[providers.openai]\napiKey = 'sk secret'");
  expect(await refusal(loadConfig(bad))).not.toContain("secret");
  const broken = await withFile("[providers.openai]\napiKey = sk-secret\n");
  expect(await refusal(loadConfig(broken))).not.toContain("secret");
  const good = await withFile("[providers.openai]\napiKey = 'sk-secret'\nbaseUrl = 'http://x/v1'");
  const config = await loadConfig(good);
  for (const shown of [settingsAsToml(config, good), settingsAsJson(config)]) {
    expect(shown).not.toContain("secret");
    expect(shown).toContain("http://x/v1");
  }
});

test.each([
  [{ POPPET_TOOL_BYTES: "1023" }, "POPPET_TOOL_BYTES must be a whole number of bytes from 1024"],
  [{ POPPET_TOOL_BYTES: "many" }, "POPPET_TOOL_BYTES"],
  [{ POPPET_PROVIDER: "locl" }, 'did you mean "local"?'],
  [{ POPPET_MODEL: " a" }, "POPPET_MODEL must be a model's name"],
])("S0 the environment %j is checked too", async (env, expected) => {
  expect(await refusal(loadConfig({ HOME: await folder(), ...env }))).toContain(expected);
});

test("S0 a file that is a folder or not UTF-8 is an error that names it", async () => {
  const home = await folder();
  await mkdir(join(home, "config.toml"));
  const env = { HOME: home, POPPET_CONFIG: join(home, "config.toml") };
  expect(await refusal(loadConfig(env))).toContain(`config_unreadable The settings file ${env.POPPET_CONFIG}`);
  const bytes = await withFile("");
  await writeFile(bytes.POPPET_CONFIG, new Uint8Array([0xff, 0xfe]));
  expect(await refusal(loadConfig(bytes))).toContain("is not UTF-8");
});

test("S0 a new file is 0600 in a folder that is 0700", async () => {
  const env = { HOME: await folder() };
  const config = await loadConfig(env);
  await saveChoice(config, { provider: "openai", model: "m", apiKey: "sk-1", baseUrl: "http://x" });
  expect((await stat(config.file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(env.HOME, ".config/poppet"))).mode & 0o777).toBe(0o700);
  expect((await loadConfig(env)).settings.providers).toEqual({ openai: { baseUrl: "http://x", apiKey: "sk-1" } });
  expect(await readdir(join(env.HOME, ".config/poppet"))).toEqual(["config.toml"]);
});

test("S0 writing keeps comments and every other key", async () => {
  const text =
    "# mine\nprovider = \"openai\" # why\n\n[chat]\n# loud\nlogReasoning = true\n\n[providers.openai]\napiKey = 'k'\n";
  const env = await withFile(text);
  await chmod(env.POPPET_CONFIG, 0o644);
  await saveChoice(await loadConfig(env), {
    provider: "openai-compatible",
    model: "m",
    baseUrl: "http://127.0.0.1:1/v1",
  });
  await saveChoice(await loadConfig(env), { provider: "openai", model: "n", baseUrl: "https://y" });
  const after = await readFile(env.POPPET_CONFIG, "utf8");
  for (const kept of ["# mine", "# why", "# loud", "logReasoning = true", "apiKey = 'k'"])
    expect(after).toContain(kept);
  const { settings } = await loadConfig(env);
  expect([settings.provider, settings.model]).toEqual(["openai", "n"]);
  expect(settings.providers).toEqual({
    openai: { apiKey: "k", baseUrl: "https://y" },
    "openai-compatible": { baseUrl: "http://127.0.0.1:1/v1" },
  });
  expect((await stat(env.POPPET_CONFIG)).mode & 0o777).toBe(0o600);
});

test("S0 writing through odd layouts: inline tables, dotted keys, a link", async () => {
  for (const text of [
    "providers = { openai = { apiKey = 'k' } }\n",
    "providers.openai.apiKey = 'k'\n",
    "model = 'x'",
  ]) {
    const env = await withFile(text);
    const link = join(env.HOME, "link.toml");
    await symlink(env.POPPET_CONFIG, link);
    const linked = { ...env, POPPET_CONFIG: link };
    await saveChoice(await loadConfig(linked), { provider: "gemini", model: "g", apiKey: 'odd"\\key' });
    const { settings } = await loadConfig(env);
    expect(settings.providers.gemini).toEqual({ apiKey: 'odd"\\key' });
    expect(settings.provider).toBe("gemini");
    if (text.includes("apiKey")) expect(settings.providers.openai).toEqual({ apiKey: "k" });
  }
});

test.each(["", "[chat]\nmarkdown = false\n"])(
  "S0 two setups at once: each keeps the key that the other saved, over a file with %j",
  async (text) => {
    const env = text === "" ? { HOME: await folder() } : await withFile(text);
    const [one, two] = [await loadConfig(env), await loadConfig(env)];
    await saveChoice(one, { provider: "openai", model: "a", apiKey: "sk-one" });
    await saveChoice(two, { provider: "anthropic", model: "b", apiKey: "sk-two" });
    const { settings } = await loadConfig(env);
    expect(settings.providers).toEqual({ openai: { apiKey: "sk-one" }, anthropic: { apiKey: "sk-two" } });
    expect(settings.provider).toBe("anthropic");
  },
);

test("S0 a file that went or broke while the person was asked: written anew, or refused by its line without what is in it", async () => {
  const choice = { provider: "openai", model: "m", apiKey: "sk-new" } as const;
  const gone = await withFile("[chat]\nmarkdown = false\n");
  const before = await loadConfig(gone);
  await rm(gone.POPPET_CONFIG);
  await saveChoice(before, choice);
  expect((await loadConfig(gone)).settings.providers).toEqual({ openai: { apiKey: "sk-new" } });
  const broken = await withFile("");
  const config = await loadConfig(broken);
  for (const text of ["[chat\napiKey = 'sk-secret'\n", "[providers.openai]\napiKey = 'sk-secret\n"]) {
    await writeFile(broken.POPPET_CONFIG, text);
    const said = await refusal(saveChoice(config, choice).then(() => config));
    expect(said).toContain("config_invalid");
    expect(said).toContain(`${broken.POPPET_CONFIG}:`);
    expect(said).not.toContain("sk-");
    expect(await readFile(broken.POPPET_CONFIG, "utf8")).toBe(text);
  }
});

test("S0 the shown settings can be read as settings", async () => {
  const env = await withFile("[limits]\nsteps = 5\n[models.'local/x']\ntools = true\n[providers.local]\nthreads = 2\n");
  const shown = settingsAsToml(await loadConfig(env), env);
  expect(shown).toContain("steps = 5\n");
  expect(shown).toContain("toolCalls = 40 # default");
  const again = await loadConfig(await withFile(shown));
  expect(again.settings).toEqual((await loadConfig(env)).settings);
});
