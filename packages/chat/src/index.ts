/** What the library gives: a turn, what it needs of models and tools, and the conversation that it adds to. */
export { childScope, type Scope, untilAborted } from "./abort.ts";
export { type Clock, systemClock } from "./clock.ts";
export {
  type Context,
  type ContextBudget,
  emptyContext,
  fitContext,
  inputTokens,
  readContext,
} from "./context.ts";
export {
  ChatError,
  type ChatErrorCode,
  chatErrorCodes,
  messageOf,
  type ProviderErrorCode,
  TranscriptEntryError,
  TranscriptMovedError,
} from "./errors.ts";
export type { Json } from "./json.ts";
export {
  type AssistantMessage,
  type Exchange,
  jsonBytes,
  type Message,
  messageBytes,
  type Source,
  sumUsage,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  type Usage,
  type UserMessage,
} from "./messages.ts";
export type { Effort, FinishReason, Model, ModelEvent, ModelRequest } from "./model.ts";
export { cutBytes, cutCodePoints, utf8Length } from "./text.ts";
export {
  type CheckedCall,
  checkBatch,
  defineTool,
  nameFromWire,
  type StandardSchema,
  type Tool,
  toolsByName,
  wireName,
} from "./tools.ts";
export {
  type Entry,
  type EntryContent,
  type EntryId,
  memoryTranscript,
  type Tip,
  type Transcript,
  type TranscriptChange,
} from "./transcript.ts";
export { type TurnLimits, type TurnOptions, turn, turnDeadline } from "./turn.ts";
export type { TurnEvent, TurnResult } from "./turn-events.ts";
