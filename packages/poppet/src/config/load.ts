/**
 * The settings as the program uses them, read at each start: the file's, under POPPET_PROVIDER, POPPET_MODEL and
 * POPPET_TOOL_BYTES of the environment, over the defaults. No file is no error. Nothing is written.
 */
import { PoppetError, systemCode, systemReason } from "../error.ts";
import {
  type ChatSettings,
  defaultChat,
  defaultLimits,
  type Limits,
  type ModelFacts,
  type ProviderName,
  type ProviderSettings,
  type Settings,
} from "../settings.ts";
import { checkSettings, fault, mustBe, type Source } from "./check.ts";
import { configFile, dataFolder, type Environment } from "./location.ts";
import { modelRule, providerRule, type Rule, settingsTable, type Table, toolBytesRule } from "./table.ts";

export interface Config {
  readonly file: string;
  readonly home: string;
  readonly settings: Settings;
  /** The settings that the file itself has, checked. */
  readonly written: WrittenSettings;
  readonly fileExists: boolean;
}

export interface WrittenSettings {
  readonly provider?: ProviderName;
  readonly model?: string;
  readonly chat?: Partial<ChatSettings>;
  readonly limits?: Partial<Limits>;
  readonly providers?: { readonly [Name in ProviderName]?: ProviderSettings };
  readonly models?: { readonly [name: string]: ModelFacts };
}

export async function loadConfig(env: Environment): Promise<Config> {
  const file = configFile(env);
  const home = dataFolder(env);
  const { text, written } = await readSettings(file);
  return { file, home, settings: effective(written, env), written, fileExists: text !== null };
}

/** What the file has at this moment, checked; `text` is null where there is none. */
export async function readSettings(
  file: string,
): Promise<{ readonly text: string | null; readonly written: WrittenSettings }> {
  const text = await readText(file);
  return { text, written: text === null ? {} : await parseSettings({ file, text }) };
}

/** The text of a settings file, parsed and checked. */
export function parseSettings(source: Source): Promise<WrittenSettings> {
  return checkedToml(source, settingsTable);
}

/** Any TOML, parsed and held against a table; the caller names the type that the table describes. */
export async function checkedToml<Checked extends object>(source: Source, shape: Table): Promise<Checked> {
  let parsed: unknown;
  try {
    parsed = Bun.TOML.parse(source.text);
  } catch (thrown) {
    throw await syntaxError(source, shape, thrown);
  }
  checkSettings(parsed, shape, source);
  return parsed as Checked;
}

function effective(written: WrittenSettings, env: Environment): Settings {
  const provider = fromEnvironment(env, "POPPET_PROVIDER", providerRule);
  const model = fromEnvironment(env, "POPPET_MODEL", modelRule);
  return {
    provider: (provider as ProviderName | null) ?? written.provider ?? null,
    model: model ?? written.model ?? null,
    chat: { ...defaultChat, ...written.chat },
    limits: { ...defaultLimits, ...written.limits },
    providers: written.providers ?? {},
    models: written.models ?? {},
    toolBytes: toolBytes(env),
  };
}

function fromEnvironment(env: Environment, name: string, rule: Rule): string | null {
  const value = env[name];
  if (!value) return null;
  if (rule.check(value)) return value;
  throw new PoppetError("config_invalid", `Environment: ${name} ${mustBe(rule, value)}`);
}

function toolBytes(env: Environment): number {
  const value = env.POPPET_TOOL_BYTES;
  if (!value) return 16_384;
  const bytes = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (toolBytesRule.check(bytes)) return bytes;
  throw new PoppetError("config_invalid", `Environment: POPPET_TOOL_BYTES must be ${toolBytesRule.allowed}`);
}

async function readText(file: string): Promise<string | null> {
  let bytes: Uint8Array;
  try {
    bytes = await Bun.file(file).bytes();
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return null;
    throw new PoppetError(
      "config_unreadable",
      `The settings file ${file} cannot be read: ${systemReason(thrown)}. Put that right, or name another file in POPPET_CONFIG.`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PoppetError("config_invalid", `${file}: is not UTF-8 text; save it as UTF-8.`);
  }
}

/**
 * Bun's parser does not say where: the one that setup writes with does, and is loaded only now. What the parser quotes
 * of the file is left out: it may be a key.
 */
async function syntaxError(source: Source, shape: Table, thrown: unknown): Promise<PoppetError> {
  if (thrown instanceof RangeError) return fault(source, `${source.file}: not valid TOML: it is nested too deeply`);
  const wrong = wordsOf(thrown)
    .replace(/^TOML Parse error: /, "")
    .replace(/:? (["'])[^"']{3}[\s\S]*$/, "");
  const { parse } = await import("./located-toml.ts");
  let line: unknown;
  try {
    // What only Bun's parser refuses is a number that is too large, so most likely a setting out of its range.
    checkSettings(parse(source.text), shape, source);
  } catch (located) {
    if (PoppetError.isInstance(located)) return located;
    line = (located as { readonly line?: unknown }).line;
  }
  const place = typeof line === "number" ? `${source.file}:${line}` : source.file;
  return fault(source, `${place}: not valid TOML: ${wrong}`);
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
