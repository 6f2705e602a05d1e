/** The models of a place as a list to choose from, the likeliest first, and what a typed name may be. */
import { modelRule } from "../../config/table.ts";
import type { ListedModel } from "../../models/list.ts";
import type { ProviderName } from "../../settings.ts";
import type { Option } from "../ask/options.ts";
import { byteSize } from "../render/time.ts";

/** Good for most, where nothing is chosen yet; one that a list does not have is passed over. */
const usualModels: { readonly [Name in ProviderName]?: string } = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.1-sol",
  gemini: "gemini-3.8-flash",
  "opencode-go": "glm-5.3",
  local: "qwen3-1.7b",
};

/** Made for something else than to talk. */
const special = /embed|rerank|whisper|tts|bge-|clip/i;

/** Those of a server that lists nothing but names. */
export function servedOptions(models: readonly string[], preferred: string | null): readonly Option<string>[] {
  const valid = models.filter(isModelName);
  const sorted = valid.toSorted((a, b) => Number(special.test(a)) - Number(special.test(b)));
  return firstOf(
    sorted.map((model) => ({ label: model, value: model })),
    preferred,
  );
}

export function listedOptions(models: readonly ListedModel[], preferred: string | null): readonly Option<string>[] {
  const options = models.map((model) => ({ label: model.model, detail: detailOf(model), value: model.model }));
  const valid = options.filter(({ value }) => isModelName(value));
  const installed = new Set(models.filter(({ local }) => local?.installed).map(({ model }) => model));
  const rank = ({ value }: Option<string>) => (installed.has(value) ? 0 : special.test(value) ? 2 : 1);
  const provider = models[0]?.provider;
  const usual = provider === undefined || installed.size > 0 ? null : (usualModels[provider] ?? null);
  const known = preferred !== null && valid.some(({ value }) => value === preferred);
  return firstOf(
    valid.toSorted((a, b) => rank(a) - rank(b)),
    known ? preferred : usual,
  );
}

export function ownModel(typed: string): string | null {
  return isModelName(typed) ? typed : null;
}

/** A name that the settings take: nothing in it steers a terminal. */
export function isModelName(name: string): boolean {
  return modelRule.check(name);
}

/** What `models pull` takes beside the names that are listed. */
export function ownReference(typed: string): string | null {
  return /^hf:\S+$|\.gguf$/.test(typed) ? typed : null;
}

function firstOf(options: readonly Option<string>[], first: string | null): readonly Option<string>[] {
  return options.toSorted((a, b) => Number(b.value === first) - Number(a.value === first));
}

function detailOf({ local, contextWindow, price }: ListedModel): string {
  if (local !== null) {
    const size = byteSize(local.bytes);
    return [local.installed ? `installed, ${size}` : `${size} to fetch`, local.note].filter(Boolean).join("; ");
  }
  const window = contextWindow === null ? "" : `${Math.round(contextWindow / 1000)}k tokens`;
  const costs = price === null ? "" : `$${price.input} in, $${price.output} out`;
  return [window, costs].filter(Boolean).join(", ");
}
