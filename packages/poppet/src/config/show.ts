/** The effective settings as TOML, each with where it came from. Secrets are masked. */
import { defaultChat, defaultLimits } from "../settings.ts";
import { isTable } from "./check.ts";
import type { Config } from "./load.ts";
import type { Environment } from "./location.ts";

const mask = "********";

export function settingsAsToml(config: Config, env: Environment): string {
  const { settings, written } = config;
  const lines = [
    `# file: ${onOneLine(config.file)}${config.fileExists ? "" : " (not there yet)"}`,
    `# data: ${onOneLine(config.home)}`,
    choice("provider", settings.provider, env.POPPET_PROVIDER, written.provider),
    choice("model", settings.model, env.POPPET_MODEL, written.model),
    `# toolBytes = ${settings.toolBytes} (POPPET_TOOL_BYTES${env.POPPET_TOOL_BYTES ? "" : ", default"})`,
    "",
    "[chat]",
  ];
  for (const key of Object.keys(defaultChat) as (keyof typeof defaultChat)[]) {
    lines.push(line(key, settings.chat[key], written.chat?.[key] === undefined));
  }
  lines.push("", "[limits]");
  for (const key of Object.keys(defaultLimits) as (keyof typeof defaultLimits)[]) {
    lines.push(line(key, settings.limits[key], written.limits?.[key] === undefined));
  }
  for (const [name, table] of Object.entries(settings.providers)) lines.push(...block(`providers.${name}`, table));
  for (const [name, table] of Object.entries(settings.models)) {
    lines.push(...block(`models.${JSON.stringify(name)}`, table));
  }
  return `${lines.join("\n")}\n`;
}

export function settingsAsJson(config: Config): string {
  return `${JSON.stringify({ file: config.file, home: config.home, settings: config.settings }, maskSecret, 2)}\n`;
}

/** A path as a comment can hold it. */
function onOneLine(path: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path) : path;
}

function choice(key: string, value: string | null, fromEnv: string | undefined, fromFile: string | undefined): string {
  if (value === null) return `# ${key} is not set`;
  if (!fromEnv) return line(key, value, false);
  const over = fromFile === undefined || fromFile === value ? "" : `, over ${JSON.stringify(fromFile)} of the file`;
  return `${line(key, value, false)} # POPPET_${key.toUpperCase()}${over}`;
}

function block(name: string, table: unknown): string[] {
  const entries = isTable(table) ? Object.entries(table) : [];
  return ["", `[${name}]`, ...entries.map(([key, value]) => line(key, maskSecret(key, value), false))];
}

function line(key: string, value: unknown, isDefault: boolean): string {
  return `${key} = ${JSON.stringify(value)}${isDefault ? " # default" : ""}`;
}

function maskSecret(key: string, value: unknown): unknown {
  return key === "apiKey" ? mask : value;
}
