/** What a turn reports while it runs, and how it ends. */
import type { ChatError } from "./errors.ts";
import type { Message, ToolCall, ToolResult, Usage } from "./messages.ts";

/** `step` counts from 1. Deltas arrive as the provider sends them, uncleaned. */
export type TurnEvent =
  | { readonly type: "step-start"; readonly step: number }
  | { readonly type: "reasoning"; readonly step: number; readonly section: number; readonly delta: string }
  | { readonly type: "text"; readonly step: number; readonly delta: string }
  /** The tool starts only after the reader has asked for the event after this one, so a record of it can be made first. */
  | { readonly type: "tool-start"; readonly step: number; readonly call: ToolCall }
  /** A refused call has a `tool-end` (state `rejected`) and no `tool-start`. */
  | { readonly type: "tool-end"; readonly step: number; readonly call: ToolCall; readonly result: ToolResult }
  | { readonly type: "steered"; readonly step: number; readonly text: string }
  | { readonly type: "step-end"; readonly step: number; readonly final: boolean; readonly usage: Usage | null };

/**
 * Partial work is in none of the failures. `text` is the last step's, `messages` the whole exchange. `usage` is the sum
 * over the steps, null where one did not report; `reported` is the sum of what was, null where nothing was.
 */
export type TurnResult =
  | {
      readonly state: "completed";
      readonly text: string;
      readonly messages: readonly Message[];
      readonly usage: Usage | null;
      readonly reported: Usage | null;
    }
  | {
      readonly state: "failed" | "interrupted";
      readonly error: ChatError;
      readonly usage: Usage | null;
      readonly reported: Usage | null;
    };
