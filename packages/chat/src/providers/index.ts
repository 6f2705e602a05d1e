/** Any AI SDK language model as a Model, and what a provider of one's own needs as well: `@poppet/chat/ai-sdk`. */
export { type LanguageModelOptions, languageModel } from "./ai-sdk.ts";
export type * from "./ai-sdk-types.ts";
export { type Fetch, guardedFetch } from "./guarded-fetch.ts";
export { type ErrorContext, providerError } from "./provider-error.ts";
export { safeWords } from "./provider-words.ts";
