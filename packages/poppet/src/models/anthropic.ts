/** Anthropic by its Messages API. */
import { createAnthropic } from "@ai-sdk/anthropic";
import type { Connection } from "./connection.ts";
import type { Opened } from "./opened.ts";

export function open(model: string, { baseUrl, apiKey, fetch }: Connection): Opened {
  const provider = createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetch as typeof globalThis.fetch });
  return { model: provider.languageModel(model) };
}
