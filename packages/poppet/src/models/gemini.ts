/** Gemini by its generateContent API. Thoughts are asked for, where the model has any. */
import { createGoogle } from "@ai-sdk/google";
import type { Connection } from "./connection.ts";
import type { Opened } from "./opened.ts";

export function open(model: string, { baseUrl, apiKey, fetch }: Connection): Opened {
  const provider = createGoogle({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetch as typeof globalThis.fetch });
  const thinks = /^gemini-(?:2\.[5-9]|[3-9]|\d\d|flash|pro)/.test(model);
  return {
    model: provider.languageModel(model),
    ...(thinks ? { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } } : {}),
  };
}
