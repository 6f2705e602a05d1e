/**
 * `setup`: without a flag on a terminal it asks, which `setup/guided.ts` does. Else it writes the choice that the flags
 * make, and the key where one is piped in.
 */
import { cleanLine } from "../clean.ts";
import { PoppetError } from "../error.ts";
import { keyOf, providerFacts } from "../models/providers.ts";
import { isApiKey, type ProviderName } from "../settings.ts";
import { readStdin } from "./input.ts";
import type { Program } from "./program.ts";
import { savedNotes } from "./setup/saved.ts";

interface Given {
  readonly provider?: ProviderName;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly keyStdin: boolean;
}

interface Flags extends Given {
  readonly provider: ProviderName;
  readonly model: string;
}

export async function setup(this: Program, given: Given): Promise<void> {
  const { provider, model, baseUrl } = given;
  const terminal = await this.terminal();
  const none = provider === undefined && model === undefined && baseUrl === undefined && !given.keyStdin;
  if (none && terminal.stdin && terminal.stderr) {
    const { guidedSetup } = await import("./setup/guided.ts");
    await guidedSetup(this);
    return;
  }
  if (provider === undefined) throw missing("--provider");
  if (model === undefined) throw missing("--model");
  const flags = { ...given, provider, model };
  await checkFlags(flags);
  const config = await this.config();
  if (provider === "openai-compatible" && baseUrl === undefined && !config.written.providers?.[provider]?.baseUrl) {
    throw new PoppetError("usage", "openai-compatible needs --base-url, for example http://127.0.0.1:11434/v1.");
  }
  const apiKey = await key(this, flags);
  const { saveChoice } = await import("../config/write.ts");
  await saveChoice(config, {
    provider,
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === null ? {} : { apiKey }),
  });
  const chosen = { ...config, settings: { ...config.settings, provider, model } };
  const notes = [...savedNotes(this, { file: config.file, provider, model })];
  if (apiKey === null && (await needsKey(this, provider))) {
    notes.push(`no API key yet: set ${providerFacts[provider].keyVariables[0] ?? "it"}, or pipe it into this command`);
  }
  if (provider === "local") {
    const findings = await this.parts.checkProvider(chosen, this.env);
    notes.push(...findings.filter((one) => !one.ok).map((one) => `but not yet: ${cleanLine(one.message)}`));
  }
  this.stderr.write(notes.map((note) => `${note}\n`).join(""));
}

function missing(flag: string): PoppetError {
  return new PoppetError("usage", `missing ${flag}; see poppet setup --help`);
}

async function checkFlags(flags: Flags): Promise<void> {
  const { modelRule, settingsTable } = await import("../config/table.ts");
  if (!modelRule.check(flags.model)) throw new PoppetError("usage", `--model must be ${modelRule.allowed}.`);
  if (flags.baseUrl === undefined) return;
  const providers = settingsTable.keys.providers;
  const table = providers?.kind === "table" ? providers.keys[flags.provider] : undefined;
  const rule = table?.kind === "table" ? table.keys.baseUrl : undefined;
  if (rule?.kind !== "value") throw new PoppetError("usage", `${flags.provider} takes no --base-url.`);
  if (!rule.check(flags.baseUrl)) throw new PoppetError("usage", `--base-url must be ${rule.allowed}.`);
}

/** The key on stdin: where it is asked for, or where one is needed, none is known, and stdin is no terminal. */
async function key(program: Program, flags: Flags): Promise<string | null> {
  if (flags.provider === "local") {
    if (flags.keyStdin) throw new PoppetError("usage", "local takes no API key.");
    return null;
  }
  if (flags.keyStdin && (await program.terminal()).stdin) {
    // A terminal would show the key.
    throw new PoppetError(
      "usage",
      "--key-stdin reads no terminal; pipe the key in: poppet setup ... --key-stdin < FILE",
    );
  }
  const wanted = flags.keyStdin || ((await needsKey(program, flags.provider)) && !(await program.terminal()).stdin);
  if (!wanted) return null;
  const given = (await readStdin(65_536, "The API key")).trim();
  if (given === "" && !flags.keyStdin) return null;
  if (isApiKey(given)) return given;
  throw new PoppetError("usage", "What stdin has is no API key: one line of printable ASCII without spaces.");
}

async function needsKey(program: Program, provider: ProviderName): Promise<boolean> {
  return providerFacts[provider].keyNeeded && keyOf(provider, (await program.config()).settings, program.env) === null;
}
