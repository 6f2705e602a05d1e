/** What a provider of your own is made with: `@poppet/chat/provider`. */
export { userTexts } from "./messages.ts";
export {
  defineProvider,
  type ProviderDefinition,
  type SessionProviderDefinition,
} from "./providers/define-provider.ts";
export { type Fetch, guardedFetch } from "./providers/guarded-fetch.ts";
export { linesOf } from "./providers/lines.ts";
export { type ErrorContext, providerError } from "./providers/provider-error.ts";
export { safeWords } from "./providers/provider-words.ts";
export { responseError } from "./providers/response-error.ts";
export type { ProviderSession, SessionProvider, SessionRequest } from "./session.ts";
export { nameFromWire, wireName } from "./tools.ts";
