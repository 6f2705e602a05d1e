/**
 * Where a provider is reached and with what key: the settings first, then the environment, which comes in as a value. What
 * is missing is a ChatError that says how to set it.
 */
import { ChatError } from "@poppet/chat";
import { type Fetch, guardedFetch } from "@poppet/chat/provider";
import { isApiKey, type ProviderName, type Settings } from "../settings.ts";
import { keyOf, providerFacts } from "./providers.ts";

export interface ModelDeps {
  readonly env: { readonly [name: string]: string | undefined };
  readonly now: () => number;
  /** Where `local` finds its files. */
  readonly modelsFolder: string;
  /** Default: the platform's. Redirects are refused whichever it is. */
  readonly fetch?: Fetch;
  /** For providers that route by it; default: a random ID for each opened model. */
  readonly sessionId?: string;
}

export interface Connection {
  readonly label: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly keyHint: string;
  readonly fetch: Fetch;
}

export function connectionTo(provider: ProviderName, settings: Settings, deps: ModelDeps): Connection {
  const facts = providerFacts[provider];
  const own = settings.providers[provider];
  const apiKey = keyOf(provider, settings, deps.env);
  const keyHint = keyHintOf(provider);
  if (apiKey === null && facts.keyNeeded) {
    throw notConfigured(provider, `${facts.label} has no API key. Set ${keyHint}.`);
  }
  if (apiKey !== null && !isApiKey(apiKey)) {
    const wrong = `${facts.label}'s API key has spaces, line breaks or letters that no key has`;
    throw notConfigured(provider, `${wrong}. Copy it again into ${keyHint}.`);
  }
  const baseUrl = own?.baseUrl ?? facts.baseUrl;
  if (baseUrl === null) {
    throw notConfigured(
      provider,
      `${provider} has no address. Set [providers.${provider}] baseUrl, such as "http://127.0.0.1:11434/v1".`,
    );
  }
  // Which of several servers it was is what a person has to know.
  const label = facts.baseUrl === null ? `${facts.label} at ${new URL(baseUrl).host}` : facts.label;
  return {
    label,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    apiKey,
    keyHint,
    fetch: guardedFetch(label, deps.fetch, apiKey === null ? [] : [apiKey]),
  };
}

function keyHintOf(provider: ProviderName): string {
  const variable = providerFacts[provider].keyVariables[0];
  const setting = `[providers.${provider}] apiKey in the settings`;
  return variable ? `${variable} in the environment or ${setting}` : setting;
}

function notConfigured(provider: ProviderName, message: string): ChatError {
  return new ChatError("provider_not_configured", message, { details: { provider } });
}
