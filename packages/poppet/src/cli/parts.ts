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
  /** What the provider can answer with; for `local`, what is installed and what can be pulled. */
  listModels(provider: ProviderName, config: Config, env: Environment): Promise<readonly ListedModel[]>;
  pullModel(reference: string, pull: Pull): Promise<PulledModel>;
  /** One finding for each thing looked at, in the order to read them. Throws nothing. */
  checkStore(config: Config): Promise<readonly Finding[]>;
  checkProvider(config: Config, env: Environment): Promise<readonly Finding[]>;
}

export interface ListedModel {
  readonly provider: ProviderName;
  readonly model: string;
  /** `local` only; null where there is nothing to install. */
  readonly installed: boolean | null;
  readonly bytes: number | null;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly tools: boolean | null;
  /** US dollars for a million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /** What it is good for, its licence; one line. */
  readonly note: string | null;
}

export interface Pull {
  readonly home: string;
  readonly signal: AbortSignal;
  onProgress(progress: PullProgress): void;
  /** Called for each source that failed, before the next is tried. */
  onSourceFailed(source: string, reason: string): void;
}

export interface PullProgress {
  readonly stage: "downloading" | "unpacking" | "copying";
  readonly received: number;
  /** null where the source does not say. */
  readonly total: number | null;
  /** Bytes a second; 0 until it is known. */
  readonly rate: number;
  readonly secondsLeft: number | null;
}

export interface PulledModel {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** null where the model was there already. */
  readonly source: string | null;
}

export interface Finding {
  readonly ok: boolean;
  readonly subject: string;
  /** What was found, and if it is wrong, what to do. */
  readonly message: string;
}
