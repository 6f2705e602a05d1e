/**
 * What is known of models: windows, output limits, tools, prices. The settings win over the catalogue, which is generated
 * by `scripts/catalogue.ts` and loaded for one provider at a time, when it is asked for.
 */
import type { ModelFacts, ProviderName, Settings } from "../settings.ts";

export interface CatalogueModel {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly tools: boolean;
  /** US dollars for a million tokens. */
  readonly price: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

interface CatalogueFile {
  readonly models: { readonly [id: string]: Omit<CatalogueModel, "price"> & { readonly price: readonly number[] } };
}

/** The provider's models by ID; empty for a provider whose models only its server knows. */
export async function catalogueOf(provider: ProviderName): Promise<ReadonlyMap<string, CatalogueModel>> {
  const file = await load(provider);
  return new Map(
    Object.entries(file?.models ?? {}).map(([id, { price, ...facts }]) => {
      const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = price;
      return [id, { ...facts, price: { input, output, cacheRead, cacheWrite } }];
    }),
  );
}

/** What the settings say of the model, then what the catalogue says; a figure that neither has is absent. */
export async function factsOf(provider: ProviderName, model: string, settings: Settings): Promise<ModelFacts> {
  const set = settings.models[`${provider}/${model}`] ?? {};
  const known = (await load(provider))?.models[model];
  const contextWindow = set.contextWindow ?? known?.contextWindow;
  const maxOutputTokens = set.maxOutputTokens ?? known?.maxOutputTokens;
  const tools = set.tools ?? known?.tools;
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(tools === undefined ? {} : { tools }),
  };
}

export interface ModelWindow {
  /** Tokens; null where nobody knows. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** The window that the model will have when it is opened; null for a local model whose file alone says. */
export async function windowOf(
  choice: { readonly provider: ProviderName; readonly model: string },
  settings: Settings,
): Promise<ModelWindow | null> {
  const { contextWindow, maxOutputTokens } = await factsOf(choice.provider, choice.model, settings);
  if (choice.provider === "local" && contextWindow === undefined) return null;
  return { contextWindow: contextWindow ?? null, maxOutputTokens: maxOutputTokens ?? null };
}

async function load(provider: ProviderName): Promise<CatalogueFile | null> {
  switch (provider) {
    case "openai":
      return (await import("./catalogue/openai.json")).default;
    case "anthropic":
      return (await import("./catalogue/anthropic.json")).default;
    case "gemini":
      return (await import("./catalogue/gemini.json")).default;
    case "opencode-go":
      return (await import("./catalogue/opencode-go.json")).default;
    default:
      return null;
  }
}
