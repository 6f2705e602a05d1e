/**
 * OpenAI by its Responses API. Nothing is stored there: reasoning comes back encrypted, and goes with the next request. The
 * class is imported by itself because the package's front door, with speech, images and files behind it, takes twice as long.
 */
import { OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import type { Connection } from "./connection.ts";
import type { Opened } from "./opened.ts";

export function open(model: string, { baseUrl, apiKey, fetch }: Connection): Opened {
  return {
    model: new OpenAIResponsesLanguageModel(model, {
      provider: "openai.responses",
      url: ({ path }) => baseUrl + path,
      headers: { authorization: `Bearer ${apiKey}` },
      fetch: fetch as typeof globalThis.fetch,
    }),
    // With `store: false` the package asks for encrypted reasoning by itself, of models that reason.
    providerOptions: { openai: { store: false, reasoningSummary: "auto" } },
  };
}
