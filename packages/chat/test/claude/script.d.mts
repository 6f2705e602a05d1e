import type { ClaudeReply } from "./stand-in.mjs";
export function init(more?: object): string;
export function textDelta(text: string): string;
export function thinking(...deltas: readonly string[]): readonly string[];
export function messageStart(): string;
export function messageStop(reason?: string): string;
export function result(text?: string, more?: object): string;
export function answer(...deltas: readonly string[]): ClaudeReply;
export function failure(
  words: string,
  more?: { readonly kind?: string; readonly [field: string]: unknown },
): ClaudeReply;
export function limitReached(resetsAt: number): string;
