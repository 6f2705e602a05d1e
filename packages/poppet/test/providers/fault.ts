/** What a fault of a provider is, and the replies that most of them are made of. */
import type { ChatErrorCode } from "@poppet/chat";
import type { Reply } from "../model-server/index.ts";

export type Fault = readonly [name: string, code: ChatErrorCode, reply: Reply, retryAt?: number];

export const error = (
  status: number,
  message: string,
  more: { type?: string; code?: string; headers?: Record<string, string> } = {},
): Reply => {
  const { headers, ...rest } = more;
  return { status, body: { error: { message, ...rest } }, ...(headers ? { headers } : {}) };
};
export const raw = (...texts: string[]): Reply => ({
  parts: texts.map((text) => ({ type: "raw", text })),
  finish: null,
});
