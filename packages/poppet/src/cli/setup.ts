/** `setup` for scripts: writes the choice of provider and model, and the key where one is piped in. */
import { cleanLine } from "../clean.ts";
import { PoppetError } from "../error.ts";
import { keyOf, providerFacts } from "../models/providers.ts";
import { isApiKey, type ProviderName } from "../settings.ts";
import { readStdin } from "./input.ts";
import type { Program } from "./program.ts";

interface Flags {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl?: string;
  readonly keyStdin: boolean;
}

export async function setup(this: Program, flags: Flags): Promise<void> {
  const { provider, model, baseUrl } = flags;
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
  const notes = [`saved ${cleanLine(config.file)}: new sessions are answered by ${provider} ${cleanLine(model)}`];
  for (const name of ["POPPET_PROVIDER", "POPPET_MODEL"]) {
    if (this.env[name]) notes.push(`${name} is set in the environment and wins over the file`);
  }
  if (apiKey === null && (await needsKey(this, provider))) {
    notes.push(`no API key yet: set ${providerFacts[provider].keyVariables[0] ?? "it"}, or pipe it into this command`);
  }
  if (provider === "local") {
    const chosen = { ...config, settings: { ...config.settings, provider, model } };
    const findings = await this.parts.checkProvider(chosen, this.env);
    notes.push(...findings.filter((one) => !one.ok).map((one) => `but not yet: ${cleanLine(one.message)}`));
  }
  this.stderr.write(notes.map((note) => `${note}\n`).join(""));
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
