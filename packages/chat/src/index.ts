/** What the library gives: a client with commands, and the parts that it is made of. */
export { type Deadline, Scope, type Stop, untilAborted } from "./abort.ts";
export type {
  Answer,
  AskCall,
  Call,
  ChatClient,
  ChatEvent,
  ChatInput,
  PolicyCall,
  PolicyReport,
} from "./chat-client.ts";
export { type ChatLimits, type ChatOptions, defaultLimits } from "./chat-options.ts";
export { type Clock, systemClock } from "./clock.ts";
export { clearCommand } from "./commands/clear.ts";
export {
  type Command,
  type CommandRequest,
  type CommandResult,
  type CommandSet,
  commandSet,
  defineCommand,
} from "./commands/command.ts";
export { compactCommand } from "./commands/compact.ts";
export type { Editable } from "./commands/editing.ts";
export { helpCommand } from "./commands/help.ts";
export { type CommandOutcome, type ParsedCommand, parseCommand, runCommand } from "./commands/run.ts";
export { toolsCommand } from "./commands/tools.ts";
export { undoCommand } from "./commands/undo.ts";
export { usageCommand } from "./commands/usage.ts";
export {
  type Context,
  type ContextBudget,
  emptyContext,
  type FittedRequest,
  fitContext,
  inputTokens,
  readContext,
} from "./context.ts";
export type { Conversation, ConversationModel, SavedConversation, TurnStart } from "./conversation.ts";
export { createChat } from "./create-chat.ts";
export { type EditorView, type TranscriptEditor, transcriptEditor } from "./editor.ts";
export type { ChatErrorCode, ProviderErrorCode } from "./error-codes.ts";
export {
  ChatError,
  CommandUnavailableError,
  messageOf,
  TranscriptEntryError,
  TranscriptMovedError,
} from "./errors.ts";
export type { Json } from "./json.ts";
export {
  type AssistantMessage,
  type Exchange,
  type Message,
  messageBytes,
  type Source,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  type Usage,
  type UserMessage,
} from "./messages.ts";
export type { Effort, FinishReason, Model, ModelEvent, ModelRequest } from "./model.ts";
export { type CompactOptions, compact, compactNow } from "./policies/compact.ts";
export type { CompactionRequest } from "./policies/compaction.ts";
export type { CompactPolicy, Policy, PolicyOutcome, TruncatePolicy } from "./policies/policy.ts";
export type { Summariser, SummariserOptions, SummaryRequest } from "./policies/summary.ts";
export { truncate } from "./policies/truncate.ts";
export type { Snapshot } from "./snapshot.ts";
export { cutCodePoints, utf8Length } from "./text.ts";
export {
  type CheckedCall,
  checkBatch,
  defineTool,
  type SchemaIssue,
  type SchemaResult,
  type StandardSchema,
  type Tool,
  toolsByName,
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
export type { ChatUsage, UsageTotal } from "./usage.ts";
