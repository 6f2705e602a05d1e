/** Who could answer, the likeliest first: servers on this machine, keys that are there, models here, then the rest. */
import type { Workload } from "../../assistant.ts";
import type { Environment } from "../../config/location.ts";
import type { ListedModel } from "../../models/list.ts";
import { providerFacts } from "../../models/providers.ts";
import type { FoundServer } from "../../models/servers.ts";
import type { ProviderName, Settings } from "../../settings.ts";
import type { Option } from "../ask/options.ts";
import { byteSize } from "../render/time.ts";

export type Service = Exclude<ProviderName, "local" | "openai-compatible">;

export type Place =
  /** `models` null: it is to be asked for them. */
  | { readonly type: "server"; readonly baseUrl: string; readonly models: readonly string[] | null }
  | { readonly type: "service"; readonly provider: Service }
  | { readonly type: "local" }
  | { readonly type: "other" };

export interface Surroundings {
  readonly servers: readonly FoundServer[];
  readonly local: readonly ListedModel[];
  readonly settings: Settings;
  readonly env: Environment;
  /** Null: of any kind. */
  readonly workload: Workload | null;
}

const services: readonly Service[] = ["anthropic", "openai", "gemini", "opencode-go"];

export function placesOf(found: Surroundings): readonly Option<Place>[] {
  const { servers, settings, env, workload } = found;
  const known = found.servers.map(({ baseUrl }) => baseUrl);
  const saved = settings.providers["openai-compatible"]?.baseUrl;
  const usable = services.filter((provider) => provider !== "opencode-go" || workload !== "general");
  const keyed = usable.filter((provider) => keyPlace(provider, settings, env) !== null);
  const isReady = ({ models }: FoundServer) => models.length > 0;
  return [
    ...servers.filter(isReady).map(serverOption),
    ...(saved === undefined || known.includes(saved) ? [] : [savedServerOption(saved)]),
    ...keyed.map((provider) => serviceOption(provider, settings, env)),
    localOption(found.local),
    ...servers.filter((server) => !isReady(server)).map(serverOption),
    ...usable.filter((provider) => !keyed.includes(provider)).map((provider) => serviceOption(provider, settings, env)),
    { label: "Another server", detail: "OpenRouter or your own, by its URL", value: { type: "other" } },
  ];
}

function serverOption({ name, baseUrl, models }: FoundServer): Option<Place> {
  const count = models.length === 1 ? "1 model" : `${models.length || "no"} models`;
  return {
    label: `${name} on this machine`,
    detail: `${new URL(baseUrl).host}, ${count}${models.length === 0 ? " yet" : ""}`,
    value: { type: "server", baseUrl, models },
  };
}

function savedServerOption(baseUrl: string): Option<Place> {
  const value = { type: "server", baseUrl, models: null } as const;
  return { label: "The server of the settings", detail: new URL(baseUrl).host, value };
}

function serviceOption(provider: Service, settings: Settings, env: Environment): Option<Place> {
  const where = keyPlace(provider, settings, env);
  const coding = provider === "opencode-go" ? "; for --coding only" : "";
  return {
    label: providerFacts[provider].label,
    detail: `${where === null ? "needs an API key" : `key in ${where}`}${coding}`,
    value: { type: "service", provider },
  };
}

/** In words; null: nowhere. */
function keyPlace(provider: Service, settings: Settings, env: Environment): string | null {
  if (settings.providers[provider]?.apiKey) return "the settings";
  return providerFacts[provider].keyVariables.find((name) => env[name]?.trim()) ?? null;
}

function localOption(models: readonly ListedModel[]): Option<Place> {
  const here = models.filter(({ local }) => local?.installed).length;
  const sizes = models.map(({ local }) => local?.bytes ?? 0);
  const from =
    sizes.length === 0 ? "" : `, ${byteSize(Math.min(...sizes))} to ${byteSize(Math.max(...sizes))} to fetch`;
  return {
    label: "A model inside Poppet",
    detail: here > 0 ? `${here} installed` : `no account${from}`,
    value: { type: "local" },
  };
}
