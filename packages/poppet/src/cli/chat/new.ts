/** `chat new`: makes a session and submits its first message. */
import { readMessage } from "../input.ts";
import type { Program } from "../program.ts";
import { runMessage } from "./run.ts";

export interface NewSessionFlags {
  readonly coding: boolean;
  readonly skill?: string;
  readonly project?: string;
}

export async function chatNew(this: Program, flags: NewSessionFlags, message?: string): Promise<void> {
  const text = await readMessage(this, message, 'poppet chat new "How do I …?"');
  const { coding, skill = null, project = null } = flags;
  const workload = coding ? "coding" : "general";
  const { provider, model } = (await this.config()).settings;
  const configured = provider !== null && model !== null;
  const program = configured ? this : await (await import("../setup-offer.ts")).offerSetup(this, workload);
  if (program === null) return;
  await runMessage(program, { text, channel: "cli", target: { type: "new", workload, skill, project } });
}
