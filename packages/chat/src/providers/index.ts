/** Any AI SDK language model as a Model: `@poppet/chat/ai-sdk`. */
export { type LanguageModelOptions, languageModel } from "./ai-sdk.ts";
export type * from "./ai-sdk-types.ts";
