/** Sorts what the `claude` program says, or how it ends, into one ChatError: one line, what to do, no key. */
import type { ChatErrorCode, ProviderErrorCode } from "../error-codes.ts";
import { ChatError } from "../errors.ts";
import type { Json } from "../json.ts";
import { providerError } from "../providers/provider-error.ts";
import { safeWords } from "../providers/provider-words.ts";
import type { SaidFailure } from "./answer.ts";
import type { Ending } from "./process.ts";

export interface FailureContext {
  readonly executable: string;
  readonly modelId: string;
  readonly secrets: readonly string[];
  readonly now: () => number;
}

const byKind: ReadonlyMap<string, ProviderErrorCode> = new Map([
  ["authentication_failed", "provider_auth"],
  ["oauth_org_not_allowed", "provider_auth"],
  ["cloud_credential_error", "provider_auth"],
  ["billing_error", "provider_quota"],
  ["account_on_hold", "provider_quota"],
  ["rate_limit", "provider_rate_limit"],
  ["overloaded", "provider_overloaded"],
  ["model_not_found", "model_not_found"],
  ["server_error", "provider_server"],
]);

const byWords: readonly (readonly [RegExp, ChatErrorCode])[] = [
  [/no conversation found/i, "conversation_lost"],
  [/unknown (option|argument)/i, "provider_rejected"],
  [/prompt is too long|input (length|is) .*(exceed|too long)|context (window|limit|length)/i, "context_too_large"],
  [/credit balance/i, "provider_quota"],
  [/(usage|rate|session|weekly|hit your|opus|sonnet) limit|limit reached/i, "provider_rate_limit"],
  [/overloaded/i, "provider_overloaded"],
  [/\/login|logged (in|out)|invalid api key|oauth token|authentication/i, "provider_auth"],
  [/issue with the selected model|model .*(not exist|not found)/i, "model_not_found"],
];

/** It said that it failed. */
export function saidError(said: SaidFailure, retryAt: number | null, context: FailureContext): ChatError {
  const code = sort(said, context);
  const at = code === "provider_rate_limit" ? (retryAt ?? timeIn(said.words)) : null;
  const details: Record<string, Json> = { provider: "claude-local", model: context.modelId };
  if (said.status !== null) details.status = said.status;
  if (at !== null) details.retryAt = at;
  const words = safeWords(said.words, context.secrets);
  return new ChatError(code, `${sentence(code, at, context)}${words ? ` It said: ${JSON.stringify(words)}` : ""}`, {
    details,
  });
}

/** It ended without having said how it went. */
export function endedError(ending: Ending, errorText: string, started: boolean, context: FailureContext): ChatError {
  const details = { provider: "claude-local", model: context.modelId };
  if (ending.type === "not-started") return notStarted(ending.error, context);
  if (ending.type === "signal") {
    const message = `claude was ended by ${ending.signal} before its answer was complete. Send the message again.`;
    return new ChatError("answer_unfinished", message, { details: { ...details, signal: ending.signal } });
  }
  const words = tellingLine(errorText);
  // What a shell says of a program that it does not find, or cannot run.
  if ((ending.code === 126 || ending.code === 127) && !started) return notRun(words, context);
  if (ending.code !== 0 && words !== "") {
    const error = saidError({ words, kind: null, status: null }, null, context);
    return new ChatError(error.code, error.message, { details: { ...error.details, exitCode: ending.code } });
  }
  if (started || ending.code !== 0) {
    const message = `claude ended with exit code ${ending.code} before its answer was complete. Send the message again.`;
    return new ChatError("answer_unfinished", message, { details: { ...details, exitCode: ending.code } });
  }
  const message = `What ${JSON.stringify(context.executable)} wrote is no answer of Claude Code. Check \`executable\`.`;
  return new ChatError("provider_malformed", message, { details });
}

function notStarted({ code, name }: Error & { readonly code?: string }, context: FailureContext): ChatError {
  if (code !== "E2BIG") return notRun(code === "ENOENT" ? "no such folder" : (code ?? name), context);
  const details = { provider: "claude-local", model: context.modelId };
  return new ChatError("context_too_large", "The system prompt is too long for a command line. Shorten it.", {
    details,
  });
}

function notRun(why: string, { executable, modelId, secrets }: FailureContext): ChatError {
  return new ChatError(
    "provider_not_configured",
    `The program ${JSON.stringify(executable)} cannot be run. Install Claude Code, or give its path as \`executable\`; its \`folder\` must be there too. Reason: ${JSON.stringify(safeWords(why, secrets))}`,
    { details: { provider: "claude-local", model: modelId } },
  );
}

function sort({ words, kind, status }: SaidFailure, context: FailureContext): ChatErrorCode {
  const lost = byWords.slice(0, 3).find(([pattern]) => pattern.test(words));
  if (lost) return lost[1];
  const own = kind === null ? undefined : byKind.get(kind);
  if (own) return own;
  const http = status ?? numberIn(words, /API Error:? \(?(\d{3})\b/);
  if (http !== null) {
    const { modelId, secrets, now } = context;
    const names = { provider: "claude-local", modelId, label: "Claude Code", keyHint: null };
    return providerError(Object.assign(new Error(words), { statusCode: http }), { ...names, secrets, now }).code;
  }
  const known = byWords.find(([pattern]) => pattern.test(words));
  if (known) return known[1];
  return kind === "invalid_request" ? "provider_rejected" : "provider_server";
}

function sentence(code: ChatErrorCode, at: number | null, { modelId }: FailureContext): string {
  const when = at === null ? "Wait, then try again." : `Try again after ${new Date(at).toISOString()}.`;
  switch (code) {
    case "conversation_lost":
      return "Claude Code no longer has this conversation, or has it for another folder. Start again with /clear.";
    case "provider_auth":
      return "Claude Code is not logged in. Run `claude` and log in there.";
    case "provider_permission":
      return `Claude Code's login may not use ${modelId}. Check what the account may use.`;
    case "provider_quota":
      return "The quota or credit of Claude Code's account is used up. Check plan and billing.";
    case "provider_rate_limit":
      return `The limit of Claude Code's account is reached. ${when}`;
    case "provider_overloaded":
      return `The model behind Claude Code is overloaded. ${when}`;
    case "context_too_large":
      return "The conversation is too large for Claude Code. Start again with /clear, or say it shorter.";
    case "model_not_found":
      return `Claude Code has no model ${JSON.stringify(modelId)}. Check its name.`;
    case "provider_rejected":
      return "Claude Code refused the request. Check the options, and that its version is recent.";
    default:
      return "Claude Code failed. Try again later.";
  }
}

/** `Claude AI usage limit reached|1764547200`, in seconds. */
function timeIn(words: string): number | null {
  const seconds = numberIn(words, /\|(\d{10})\b/);
  return seconds === null ? null : seconds * 1000;
}

function numberIn(words: string, pattern: RegExp): number | null {
  const found = pattern.exec(words)?.[1];
  return found === undefined ? null : Number(found);
}

/** Of what stands among warnings, the line that says why; else the last. */
function tellingLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const known = lines.findLast((line) => byWords.some(([pattern]) => pattern.test(line)));
  return known ?? lines.findLast((line) => line !== "") ?? "";
}
