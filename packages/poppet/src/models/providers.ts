/** What is known of each provider before its package is loaded: its name, address, keys and patience. Imports nothing. */
import type { ProviderName, Settings } from "../settings.ts";

export interface ProviderFacts {
  /** What messages call it, in the middle of a sentence. */
  readonly label: string;
  /** Null: the settings have to name one. */
  readonly baseUrl: string | null;
  /** Environment variables that a key is usually in, the first one found counts. */
  readonly keyVariables: readonly string[];
  readonly keyNeeded: boolean;
  /** Whether a request has the usual deadline, or the whole run's: a model on one's own machine may take its time. */
  readonly patience: "request" | "run";
}

export const providerFacts: { readonly [Name in ProviderName]: ProviderFacts } = {
  openai: {
    label: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    keyNeeded: true,
    patience: "request",
  },
  anthropic: {
    label: "Anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariables: ["ANTHROPIC_API_KEY"],
    keyNeeded: true,
    patience: "request",
  },
  gemini: {
    label: "Gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    keyNeeded: true,
    patience: "request",
  },
  "openai-compatible": {
    label: "the model server",
    baseUrl: null,
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    keyNeeded: false,
    patience: "run",
  },
  "opencode-go": {
    label: "OpenCode Go",
    baseUrl: "https://opencode.ai/inference/go/openai/v1",
    keyVariables: ["OPENCODE_API_KEY", "OPENCODE_GO_API_KEY"],
    keyNeeded: true,
    patience: "request",
  },
  local: { label: "the local model", baseUrl: null, keyVariables: [], keyNeeded: false, patience: "run" },
};

/** The key that a request to the provider would carry, or null. */
export function keyOf(
  provider: ProviderName,
  settings: Settings,
  env: { readonly [name: string]: string | undefined },
): string | null {
  const variables = providerFacts[provider].keyVariables.map((name) => env[name]);
  return [settings.providers[provider]?.apiKey, ...variables].map((key) => key?.trim()).find((key) => key) ?? null;
}
