/** A conversation as a plain JSON value with a version, for an application to keep where it likes. Data only. */
import type { SavedConversation } from "./conversation.ts";
import type { ChatUsage } from "./usage.ts";

/** Made by `client.snapshot()`. */
export interface Snapshot {
  readonly format: "@poppet/chat";
  readonly version: 1;
  readonly conversation: SavedConversation;
  readonly usage: ChatUsage;
}

export const format = "@poppet/chat";
export const version = 1;

export function snapshotOf(conversation: SavedConversation, usage: ChatUsage): Snapshot {
  return JSON.parse(JSON.stringify({ format, version, conversation, usage } satisfies Snapshot)) as Snapshot;
}
