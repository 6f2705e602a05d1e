/** What a command gets to work with. Made once by `start.ts`; what costs time is opened at its first use. */
import type { CommandContext } from "@stricli/core";
import type { Assistant } from "../assistant.ts";
import type { Config } from "../config/load.ts";
import type { Environment } from "../config/location.ts";
import type { Output } from "./output.ts";
import type { Parts } from "./parts.ts";
import type { Terminal } from "./terminal.ts";

export interface Program extends CommandContext {
  readonly process: CommandContext["process"] & { exitCode?: number | string | null };
  readonly env: Environment;
  readonly parts: Parts;
  readonly stdout: Output;
  readonly stderr: Output;
  now(): number;
  terminal(): Promise<Terminal>;
  config(): Promise<Config>;
  /** The caller closes it. */
  openAssistant(): Promise<Assistant>;
}
