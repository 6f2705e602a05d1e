/**
 * Sorts what a model throws into one ChatError. Its message is one line that says what happened and what to do, with the
 * provider's own words shortened and cleaned; no key, whoever repeated it, and no `cause`, which would carry the request.
 */
import type { ProviderErrorCode } from "../error-codes.ts";
import { ChatError } from "../errors.ts";
import type { Json } from "../json.ts";
import { type Failure, readFailure } from "./provider-failure.ts";
import { safeWords, withoutSecrets } from "./provider-words.ts";
import { retryAt } from "./retry-at.ts";

/** Who was asked, and what its errors may say. */
export interface ErrorContext {
  readonly provider: string;
  readonly modelId: string;
  readonly label: string;
  readonly keyHint: string | null;
  readonly secrets: readonly string[];
  readonly now: () => number;
}

/** `started`: the answer had begun to arrive, so a lost connection cut it off. */
export function providerError(thrown: unknown, context: ErrorContext, started = false): ChatError {
  if (ChatError.isInstance(thrown)) return withoutKeys(thrown, context.secrets);
  const failure = readFailure(thrown);
  const code = sort(failure, started);
  const now = context.now();
  const at = waits.has(code) ? retryAt(failure.headers, failure.retryDelayMs, now) : null;
  const words = safeWords(failure.words, context.secrets);
  const said =
    words === "" || ownWords.has(code)
      ? ""
      : ` ${code === "provider_network" ? "Reason" : "It said"}: ${JSON.stringify(words)}`;
  const details: Record<string, Json> = { provider: context.provider, model: context.modelId };
  if (failure.status !== null) details.status = failure.status;
  if (at !== null) details.retryAt = at;
  return new ChatError(code, capital(sentence(code, failure, context, at)) + said, { details });
}

/** The same error, or where it repeats a secret another without it. */
function withoutKeys(error: ChatError, secrets: readonly string[]): ChatError {
  if (secrets.length === 0) return error;
  const shown = (value: Json) => (typeof value === "string" ? withoutSecrets(secrets, value) : value);
  const message = withoutSecrets(secrets, error.message);
  const said = JSON.stringify(error.details);
  const details = JSON.parse(said, (_, value: Json) => shown(value)) as ChatError["details"];
  const same = message === error.message && JSON.stringify(details) === said;
  return same ? error : new ChatError(error.code, message, { details });
}

/** A stream that ended without a finish. Where nothing came at all, what answered is most likely no model. */
export function endedEarly({ label, provider, modelId }: ErrorContext, arrived: boolean): ChatError {
  const details = { provider, model: modelId };
  return arrived
    ? new ChatError("answer_unfinished", `${capital(label)} stopped before its answer was complete. Try again.`, {
        details,
      })
    : new ChatError("provider_malformed", `What came from ${label} is no answer. Check the base URL, or try again.`, {
        details,
      });
}

const waits: ReadonlySet<ProviderErrorCode> = new Set(["provider_rate_limit", "provider_overloaded", "provider_quota"]);
/** Where what was thrown is the SDK's wording and adds nothing. */
const ownWords: ReadonlySet<ProviderErrorCode> = new Set(["answer_empty", "answer_unfinished", "provider_malformed"]);

function sort(failure: Failure, started: boolean): ProviderErrorCode {
  const { status, name, words } = failure;
  const has = (pattern: RegExp) => failure.codes.some((code) => pattern.test(code));
  if (name === "AI_LoadAPIKeyError" || name === "AI_LoadSettingError") return "provider_not_configured";
  if (name === "AI_NoSuchModelError") return "model_not_found";
  if (name === "AI_EmptyResponseBodyError") return "answer_empty";
  if (/ended before|stream (was )?(closed|truncated)/i.test(words)) return "answer_unfinished";
  const network = has(networkCodes) || (name !== "" && networkWords.test(words));
  if (network && (status === null || status < 400))
    return started || status !== null ? "answer_unfinished" : "provider_network";
  if (malformed.has(name)) return "provider_malformed";
  if (has(/insufficient_quota|billing|credit|insufficient_funds|quota_exceeded/) || status === 402)
    return "provider_quota";
  if (/credit balance is too low|insufficient (balance|credits|funds)/i.test(words)) return "provider_quota";
  // OpenCode says by a 401 that it has no such model.
  if (has(/^modelerror$|model_not_found|model_not_exist/)) return "model_not_found";
  if (status === 413 || has(/context_length|context_window|exceed_context|request_too_large|string_above_max_length/))
    return "context_too_large";
  if (client(status) && contextWords.test(words)) return "context_too_large";
  if (
    status === 401 ||
    has(/^(authentication_error|invalid_api_key|unauthenticated|api_key_invalid|invalid_authentication)$/)
  )
    return "provider_auth";
  if (client(status) && /api key not valid|invalid api key|incorrect api key/i.test(words)) return "provider_auth";
  if (has(/content_filter|content_policy|safety|prohibited_content|moderation|^refusal$/)) return "answer_filtered";
  if (status === 403 || has(/^permission_(error|denied)$/)) return "provider_permission";
  if (status === 404 || has(/^not_found(_error)?$/)) return "model_not_found";
  if (status === 429 || has(/rate_limit|resource_exhausted|too_many_requests/)) return quotaOrRate(failure);
  if (status === 503 || status === 529 || has(/overloaded|^unavailable$|server_busy/)) return "provider_overloaded";
  if (status === 408 || status === 504 || has(/^(timeout_error|deadline_exceeded)$/) || name === "TimeoutError")
    return "request_deadline";
  if ((status !== null && status >= 500) || has(/^(server_error|api_error|internal(_error|_server_error)?)$/))
    return "provider_server";
  if (name === "AI_APICallError" && status === null) return started ? "answer_unfinished" : "provider_network";
  if (client(status) || rejected.test(name) || has(/^invalid_(request|argument|prompt)/)) return "provider_rejected";
  if (status !== null && status >= 300 && status < 400) return "provider_rejected";
  if (status !== null) return "provider_malformed";
  return name === "TypeError" || name === "SyntaxError" ? "provider_malformed" : "provider_server";
}

const networkCodes =
  /^(econn\w+|enotfound|eai_\w+|ehostunreach|enetunreach|enetdown|epipe|etimedout|connectionrefused|connectionclosed|connectionreset|failedtoopensocket|und_err_\w+|err_(tls|ssl)_\w+|\w*cert\w*|self_signed\w*|depth_zero_self_signed_cert|unable_to_\w+|err_stream_premature_close|zliberror)$/;
/** Where no code comes with it: Node's, Bun's and Deno's words. */
const networkWords =
  /fetch failed|socket connection was closed|unable to connect|error sending request|error reading a body|^terminated$/i;
const malformed: ReadonlySet<string> = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
]);
const contextWords =
  /context (length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|exceeds? the (maximum|max) (number of|input) tokens|input token count|request (entity )?too large/i;
const rejected = /^AI_(InvalidArgument|InvalidPrompt|UnsupportedFunctionality|UnsupportedModelVersion)Error$/;

/** The connection was made, so that "cannot be reached" would be wrong. */
function isCut({ codes, words }: Failure): boolean {
  const cut = /^(econnreset|epipe|connectionclosed|connectionreset|und_err_socket|err_stream_premature_close)$/;
  return (
    codes.some((code) => cut.test(code)) || /socket connection was closed|connection reset|^terminated$/i.test(words)
  );
}

/** A label may be words, such as "the model server". */
function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function client(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500;
}

/** Gemini has one code for a limit per minute, which it says when to retry, and for a plan that is used up. */
function quotaOrRate(failure: Failure): ProviderErrorCode {
  const saysWhen = failure.retryDelayMs !== null || failure.headers["retry-after"] !== undefined;
  return /exceeded your current quota|quota exceeded/i.test(failure.words) && !saysWhen
    ? "provider_quota"
    : "provider_rate_limit";
}

function sentence(code: ProviderErrorCode, failure: Failure, context: ErrorContext, at: number | null): string {
  const { label, modelId, keyHint } = context;
  const http = failure.status === null || failure.status === 200 ? "" : ` (HTTP ${failure.status})`;
  const model = safeWords(modelId, context.secrets, 100);
  const when = at === null ? "Wait a little, then try again." : `Try again after ${new Date(at).toISOString()}.`;
  switch (code) {
    case "provider_not_configured":
      return `${label} has no API key. Set ${keyHint ?? "one"}.`;
    case "provider_auth":
      return `${label} refused the API key${http}. Check ${keyHint ?? "it"}.`;
    case "provider_permission":
      return `${label} does not allow this key to use ${model}${http}. Check what the account may use.`;
    case "model_not_found":
      return `${label} has no model ${model} at this address${http}. Check the model's name and the base URL.`;
    case "provider_rate_limit":
      return `${label} limits how often it answers${http}. ${when}`;
    case "provider_quota":
      return `The quota or credit at ${label} is used up${http}. Check plan and billing.`;
    case "context_too_large":
      return `The conversation is too large for ${model}${http}. Shorten it or start a new one.`;
    case "answer_filtered":
      return `${label} refused this content${http}. Say it in another way.`;
    case "provider_overloaded":
      return `${label} is overloaded${http}. ${when}`;
    case "provider_server":
      return `${label} failed${http}. Try again later.`;
    case "provider_rejected":
      return `${label} refused the request${http}. Check the model's settings.`;
    case "provider_network":
      if (isCut(failure))
        return `The connection to ${label} was cut before its answer. Check the base URL, or try again.`;
      return `${label} cannot be reached. Check the network and the base URL.`;
    case "request_deadline":
      return `${label} took too long${http}. Try again.`;
    case "provider_malformed":
      return `${label} sent an answer that cannot be read${http}. Check the base URL, or try again.`;
    case "answer_empty":
      return `${label} sent an empty answer. Try again.`;
    case "answer_unfinished":
      return `${label} stopped before its answer was complete. Try again.`;
  }
}
