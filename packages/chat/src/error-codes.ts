/** Every code that an error of the library can have. A list of its own, so that who does not ask for it does not load it. */

/** What a provider or the network between did wrong, sorted once for every protocol. */
export const providerErrorCodes = [
  "provider_not_configured",
  "provider_auth",
  "provider_permission",
  "model_not_found",
  "provider_rate_limit",
  "provider_quota",
  "context_too_large",
  "answer_filtered",
  "provider_overloaded",
  "provider_server",
  "provider_rejected",
  "provider_network",
  "request_deadline",
  "provider_malformed",
  "answer_empty",
  "answer_unfinished",
] as const;
/** What a provider or the network did. */
export type ProviderErrorCode = (typeof providerErrorCodes)[number];

/** Every code there is; docs/errors.md says of each when it comes and what to do. */
export const chatErrorCodes = [
  ...providerErrorCodes,
  "model_unsupported",
  "transcript_moved",
  "transcript_entry",
  "context_overflow",
  "answer_too_large",
  "record_too_large",
  "answer_truncated",
  "turn_deadline",
  "step_limit",
  "tool_call_limit",
  "tool_duplicate",
  "tool_unknown",
  "tool_input",
  "tool_refused",
  "tool_failed",
  "aborted",
  "input_empty",
  "option_invalid",
  "answer_invalid",
  "summary_refused",
  "capability_missing",
  "conversation_lost",
  "local_engine",
  "command_unavailable",
  "command_duplicate",
  "snapshot_invalid",
  "snapshot_newer",
  "snapshot_damaged",
  "snapshot_key",
] as const;
/** `docs/errors.md` says of each when it comes and what to do. */
export type ChatErrorCode = (typeof chatErrorCodes)[number];
