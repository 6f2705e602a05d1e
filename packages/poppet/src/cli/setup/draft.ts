/** From who answers to a whole choice: address, key, model. Every question can lead back. Nothing is written here. */
import { messageOf } from "@poppet/chat";
import { cleanLine } from "../../clean.ts";
import type { Config } from "../../config/load.ts";
import { settingsTable } from "../../config/table.ts";
import type { Choice } from "../../config/write.ts";
import { keyOf, providerFacts } from "../../models/providers.ts";
import { isApiKey, type ProviderName } from "../../settings.ts";
import { tell } from "../ask/block.ts";
import type { Option } from "../ask/options.ts";
import { select } from "../ask/select.ts";
import type { Asking } from "../ask/terminal.ts";
import { askText } from "../ask/text.ts";
import { waiting } from "../ask/waiting.ts";
import { pullShowing } from "../models-pull.ts";
import type { Program } from "../program.ts";
import { byteSize } from "../render/time.ts";
import { listedOptions, ownModel, ownReference, servedOptions } from "./models.ts";
import type { Place, Service } from "./places.ts";

export interface Guide {
  readonly program: Program;
  readonly config: Config;
  readonly asking: Asking;
  /** What was typed so far, so that going back costs nobody a second typing. */
  readonly keys: Map<ProviderName, string>;
}

/** Null: back to who answers. */
export async function draftOf(guide: Guide, place: Place): Promise<Choice | null> {
  switch (place.type) {
    case "service":
      return serviceDraft(guide, place.provider);
    case "local":
      return localDraft(guide);
    case "server":
      return serverDraft(guide, place.baseUrl, place.models);
    case "other":
      return otherDraft(guide);
  }
}

/** The settings as they would be with the choice. */
export function configWith(config: Config, choice: Choice): Config {
  const { provider, model, baseUrl, apiKey } = choice;
  const { apiKey: saved, ...own } = config.settings.providers[provider] ?? {};
  const key = apiKey === undefined ? saved : apiKey;
  const table = {
    ...own,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(key === null || key === undefined ? {} : { apiKey: key }),
  };
  const providers = { ...config.settings.providers, [provider]: table };
  return { ...config, settings: { ...config.settings, provider, model, providers } };
}

/** Null: back. */
export async function askKey({ asking, keys }: Guide, provider: ProviderName): Promise<string | null> {
  const { label, keyVariables } = providerFacts[provider];
  const key = await askText(asking, {
    title: `API key for ${label}:`,
    note: `hidden, and kept in the settings file; or Ctrl-C, and set ${keyVariables[0] ?? "it"}`,
    secret: true,
    back: true,
    check: (typed) => (isApiKey(typed) ? { value: typed } : notKey),
  });
  if (key !== null) keys.set(provider, key);
  return key;
}

const notKey = { wrong: "That is no API key: one word of plain ASCII." };

async function serviceDraft(guide: Guide, provider: Service): Promise<Choice | null> {
  const { config, program } = guide;
  const found = keyOf(provider, config.settings, program.env);
  // One that no request could carry is asked for again.
  const usable = found !== null && isApiKey(found);
  const typed = guide.keys.get(provider) ?? (usable ? undefined : await askKey(guide, provider));
  if (typed === null) return null;
  const models = await program.parts.listModels(provider, config, program.env);
  const model = await askModel(guide, listedOptions(models, preferredOf(config, provider)));
  return model === null ? null : { provider, model, ...(typed === undefined ? {} : { apiKey: typed }) };
}

async function serverDraft(
  guide: Guide,
  baseUrl: string,
  found: readonly string[] | null,
  typed?: string,
): Promise<Choice | null> {
  const provider = "openai-compatible";
  const key = typed === undefined ? await savedKeyFor(guide, baseUrl) : { apiKey: typed };
  if (key === null) return null;
  const choice = { provider, baseUrl, ...key } as const;
  const models = found ?? (await listOf(guide, { ...choice, model: "" }));
  const model = await askModel(guide, servedOptions(models, preferredOf(guide.config, provider)));
  return model === null ? null : { ...choice, model };
}

async function otherDraft(guide: Guide): Promise<Choice | null> {
  const { asking, config } = guide;
  const providers = settingsTable.keys.providers;
  const table = providers?.kind === "table" ? providers.keys["openai-compatible"] : undefined;
  const rule = table?.kind === "table" ? table.keys.baseUrl : undefined;
  const saved = config.settings.providers["openai-compatible"]?.baseUrl;
  const baseUrl = await askText(asking, {
    title: "Base URL of the server, such as https://openrouter.ai/api/v1:",
    ...(saved === undefined ? {} : { otherwise: saved }),
    back: true,
    check: (typed) =>
      rule?.kind === "value" && rule.check(typed)
        ? { value: typed }
        : { wrong: `It must be ${rule?.kind === "value" ? rule.allowed : "a URL"}.` },
  });
  if (baseUrl === null) return null;
  const key = await askText(asking, {
    title: "API key, if it wants one:",
    note: "hidden; Enter alone: none, or as it is",
    secret: true,
    back: true,
    check: (typed) => (typed === "" || isApiKey(typed) ? { value: typed } : notKey),
  });
  if (key === null) return null;
  return serverDraft(guide, baseUrl, null, key === "" ? undefined : key);
}

/** A key of the settings was given for another server: it goes to this one only where the person says so. */
async function savedKeyFor({ asking, config }: Guide, baseUrl: string): Promise<{ readonly apiKey?: null } | null> {
  const saved = config.settings.providers["openai-compatible"];
  const before = saved?.baseUrl;
  if (saved?.apiKey === undefined || before === undefined || new URL(before).origin === new URL(baseUrl).origin)
    return {};
  const answer = await select(asking, {
    title: `The settings have an API key for ${new URL(before).host}. Send it to ${new URL(baseUrl).host}?`,
    options: [
      { label: "No", detail: "take it out of the settings", value: "remove" },
      { label: "Yes", detail: "this server takes it too", value: "keep" },
    ],
    back: true,
  });
  if (answer === null) return null;
  return answer === "remove" ? { apiKey: null } : {};
}

/** What the server lists; none where it does not, and the person names one. */
async function listOf({ asking, program, config }: Guide, choice: Choice): Promise<readonly string[]> {
  const chosen = configWith(config, choice);
  const host = new URL(choice.baseUrl ?? "http://server").host;
  const key = keyOf(choice.provider, chosen.settings, program.env);
  try {
    const list = asking.during(() => program.parts.listModels(choice.provider, chosen, program.env));
    const models = (await waiting(asking, `Asking ${host} for its models (Esc: go on without)`, list)) ?? [];
    // A server that shows the key as a model's name shows it to nobody.
    return models.map(({ model }) => model).filter((model) => key === null || !model.includes(key));
  } catch (thrown) {
    if (asking.left()) throw thrown;
    tell(asking, cleanLine(messageOf(thrown)));
    return [];
  }
}

function askModel({ asking }: Guide, options: readonly Option<string>[]): Promise<string | null> {
  if (options.length > 0) return select(asking, { title: "Which model?", options, own: ownModel, back: true });
  return askText(asking, {
    title: "Name of the model:",
    back: true,
    check(typed) {
      const model = ownModel(typed);
      return model === null ? { wrong: "A model's name is 1 to 512 printable characters." } : { value: model };
    },
  });
}

async function localDraft(guide: Guide): Promise<Choice | null> {
  const { asking, config, program } = guide;
  const models = await program.parts.listModels("local", config, program.env);
  const options = listedOptions(models, preferredOf(config, "local"));
  const model = await select(asking, { title: "Which model?", options, own: ownReference, back: true });
  if (model === null) return null;
  const local = models.find((one) => one.model === model)?.local;
  if (local?.installed) return { provider: "local", model };
  const now = await select(asking, {
    title: `${cleanLine(model)} is not here yet.`,
    options: [
      { label: "Fetch it now", ...(local ? { detail: byteSize(local.bytes) } : {}), value: "fetch" },
      { label: "Choose something else", value: "back" },
    ],
    back: true,
  });
  if (now !== "fetch") return null;
  return pulled(guide, model);
}

/** Esc stops the pull; what has arrived is kept for the next. */
async function pulled({ asking, program }: Guide, reference: string): Promise<Choice | null> {
  try {
    const model = await asking.during((signal) => pullShowing(program, reference, signal));
    if (model === null) tell(asking, "Stopped; what has arrived is kept, and the next try goes on from there.");
    return model === null ? null : { provider: "local", model: model.name };
  } catch (thrown) {
    if (asking.left()) throw thrown;
    tell(asking, cleanLine(messageOf(thrown)));
    return null;
  }
}

function preferredOf({ settings }: Config, provider: ProviderName): string | null {
  return settings.provider === provider ? settings.model : null;
}
