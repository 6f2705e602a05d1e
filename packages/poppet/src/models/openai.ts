/** OpenAI by its Responses API. Nothing is stored there: reasoning comes back encrypted, and goes with the next request. */
import { createOpenAI } from "@ai-sdk/openai";
import type { Connection } from "./connection.ts";
import type { Opened } from "./opened.ts";

export function open(model: string, { baseUrl, apiKey, fetch }: Connection): Opened {
  const provider = createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetch as typeof globalThis.fetch });
  return {
    model: provider.responses(model),
    // With `store: false` the package asks for encrypted reasoning by itself, of models that reason.
    providerOptions: { openai: { store: false, reasoningSummary: "auto" } },
  };
}
