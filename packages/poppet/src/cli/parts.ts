/**
 * The one place where the command line is joined to the rest of the program. Commands name a part and never a module, so
 * a part is loaded when it is used, and tests of the command line can run it with parts of their own.
 */
import type { Assistant } from "../assistant.ts";
import type { Config } from "../config/load.ts";
import type { Environment } from "../config/location.ts";
import type { ProviderName } from "../settings.ts";

export interface Parts {
  openAssistant(config: Config, env: Environment): Promise<Assistant>;
  /** What the provider can answer with; for `local`, what is installed and what can be pulled. No network. */
  listModels(provider: ProviderName, config: Config, env: Environment): Promise<readonly ListedModel[]>;
  pullModel(reference: string, pull: Pull): Promise<PulledModel>;
  /** One finding for each thing looked at, in the order to read them. Throws nothing. */
  checkStore(config: Config): Promise<readonly Finding[]>;
  checkProvider(config: Config, env: Environment): Promise<readonly Finding[]>;
}

export interface ListedModel {
  readonly provider: ProviderName;
  readonly name: string;
  /** `local` only; null where there is nothing to install. */
  readonly installed: boolean | null;
  readonly bytes: number | null;
  readonly contextWindow: number | null;
  readonly tools: boolean | null;
  /** What it is good for, or its licence; one line. */
  readonly note: string | null;
}

export interface Pull {
  readonly home: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  progress(progress: PullProgress): void;
  /** A source that failed, and why; the next is tried. */
  note(line: string): void;
}

export interface PullProgress {
  readonly doneBytes: number;
  /** null where the source does not say. */
  readonly totalBytes: number | null;
}

export interface PulledModel {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly alreadyThere: boolean;
}

export interface Finding {
  readonly ok: boolean;
  readonly subject: string;
  /** What was found, and if it is wrong, what to do. */
  readonly message: string;
}
