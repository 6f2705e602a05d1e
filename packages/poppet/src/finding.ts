/** What `doctor` found: one line, and where something is wrong, what to do. */
import { messageOf } from "@poppet/chat";

export interface Finding {
  readonly ok: boolean;
  readonly subject: string;
  readonly message: string;
}

export function findingText(thrown: unknown): string {
  return messageOf(thrown).replace(/\.$/, "");
}
