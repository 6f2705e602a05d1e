/**
 * Opens the one model that a run uses. Exactly one provider's package is loaded, and only here; the environment comes in as
 * a value. Nothing is sent until the model is asked.
 */
import type { Model } from "@poppet/chat";
import { type LanguageModelOptions, languageModel } from "@poppet/chat/ai-sdk";
import type { Limits, ModelFacts, ProviderName, Settings } from "../settings.ts";
import { factsOf } from "./catalogue.ts";
import { type Connection, connectionTo, type ModelDeps } from "./connection.ts";
import { providerFacts } from "./providers.ts";

export type { ModelDeps } from "./connection.ts";

export interface OpenModel {
  readonly model: Model;
  /** Tokens; null where nobody knows. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** Milliseconds that one request may take, from sending it to its finish. */
  readonly requestMs: number;
  close(): Promise<void>;
}

/** Throws ChatError `provider_not_configured` where a key or an address is missing. `signal` ends the loading of a file. */
export async function openModel(
  choice: { readonly provider: ProviderName; readonly model: string },
  settings: Settings,
  deps: ModelDeps,
  signal: AbortSignal,
): Promise<OpenModel> {
  const { provider, model } = choice;
  if (provider === "local") return openLocal(model, settings, deps, signal);
  const connection = connectionTo(provider, settings, deps);
  const [facts, open] = await Promise.all([factsOf(provider, model, settings), opener(provider)]);
  const opened = open(model, connection, deps);
  return {
    model: languageModel(opened.model, optionsOf(provider, connection, facts, deps, opened.providerOptions)),
    contextWindow: facts.contextWindow ?? null,
    maxOutputTokens: facts.maxOutputTokens ?? null,
    requestMs: requestMsOf(provider, settings),
    async close() {},
  };
}

/** The setting, else the limit that the provider's patience names. */
export function requestMsOf(provider: ProviderName, settings: Settings): number {
  const limits: Limits = settings.limits;
  const usual = providerFacts[provider].patience === "run" ? limits.runMs : limits.requestMs;
  return settings.providers[provider]?.requestMs ?? usual;
}

async function openLocal(model: string, settings: Settings, deps: ModelDeps, signal: AbortSignal): Promise<OpenModel> {
  const [facts, { openLocalModel }] = await Promise.all([factsOf("local", model, settings), import("./local/open.ts")]);
  const own = settings.providers.local ?? {};
  const opened = await openLocalModel({ model, settings: own, facts, modelsFolder: deps.modelsFolder, signal });
  return { ...opened, requestMs: requestMsOf("local", settings) };
}

/** Loads the package that speaks the provider's protocol. */
async function opener(provider: Exclude<ProviderName, "local">) {
  switch (provider) {
    case "openai":
      return (await import("./openai.ts")).open;
    case "anthropic":
      return (await import("./anthropic.ts")).open;
    case "gemini":
      return (await import("./gemini.ts")).open;
    case "openai-compatible":
      return (await import("./openai-compatible.ts")).open;
    case "opencode-go":
      return (await import("./openai-compatible.ts")).openOpencodeGo;
  }
}

function optionsOf(
  provider: ProviderName,
  connection: Connection,
  facts: ModelFacts,
  deps: ModelDeps,
  providerOptions: LanguageModelOptions["providerOptions"],
): LanguageModelOptions {
  return {
    provider,
    label: connection.label,
    keyHint: connection.keyHint,
    supportsTools: facts.tools ?? true,
    secrets: connection.apiKey === null ? [] : [connection.apiKey],
    now: deps.now,
    ...(providerOptions ? { providerOptions } : {}),
  };
}
