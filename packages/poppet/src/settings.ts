/** The settings as the program uses them: checked, with defaults filled in. `config/` makes them. */

export const providerNames = ["openai", "anthropic", "gemini", "openai-compatible", "opencode-go", "local"] as const;
export type ProviderName = (typeof providerNames)[number];

export interface Settings {
  readonly provider: ProviderName | null;
  readonly model: string | null;
  readonly chat: ChatSettings;
  readonly limits: Limits;
  readonly providers: { readonly [Name in ProviderName]?: ProviderSettings };
  /** By `provider/model`: what the catalogue does not know, or has wrong. */
  readonly models: { readonly [name: string]: ModelFacts };
  /** POPPET_TOOL_BYTES: the most that a tool result or a search output takes, in UTF-8 bytes of its compact JSON. */
  readonly toolBytes: number;
}

export interface ChatSettings {
  readonly logReasoning: boolean;
  /** Drawn on a terminal; otherwise, and without, the model's bytes. */
  readonly markdown: boolean;
  /** Whether a session's model is asked for its title. */
  readonly nameSessions: boolean;
}

export const defaultChat: ChatSettings = { logReasoning: false, markdown: true, nameSessions: true };

export interface ProviderSettings {
  /** An http or https URL. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Milliseconds from sending a request to its end. */
  readonly requestMs?: number;
  /** `local` only. */
  readonly threads?: number;
  readonly gpu?: "auto" | "off";
}

/** Wherever it comes from, it has to go through a header: one line, nothing but printable ASCII, no spaces. */
export function isApiKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export interface ModelFacts {
  /** Tokens that the model can take in and give out together. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly tools?: boolean;
}

/** C12. Inclusive: a value at its limit passes. */
export interface Limits {
  readonly answerBytes: number;
  readonly recordBytes: number;
  readonly runMs: number;
  readonly requestMs: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly contextExchanges: number;
  readonly contextBytes: number;
}

export const defaultLimits: Limits = {
  answerBytes: 131_072,
  recordBytes: 1_048_576,
  runMs: 300_000,
  requestMs: 60_000,
  steps: 20,
  toolCalls: 40,
  contextExchanges: 400,
  contextBytes: 2_097_152,
};
