/**
 * The one place where the command line is joined to the rest of the program. Commands name a part and never a module, so
 * a part is loaded when it is used, and tests of the command line can run it with parts of their own.
 */
import type { Assistant } from "../assistant.ts";
import type { Config } from "../config/load.ts";
import type { Environment } from "../config/location.ts";
import type { Finding } from "../finding.ts";
import type { Library } from "../library.ts";
import type { ListedModel } from "../models/list.ts";
import type { PullProgress } from "../models/local/progress.ts";
import type { PulledModel } from "../models/local/pull.ts";
import type { FoundServer } from "../models/servers.ts";
import type { TrialEvent } from "../models/try.ts";
import type { ProviderName } from "../settings.ts";

export interface Parts {
  openAssistant(config: Config, env: Environment): Promise<Assistant>;
  /** Whether there is a database. Opening the assistant makes one. */
  hasDatabase(config: Config): Promise<boolean>;
  library(config: Config): Promise<Library>;
  /** Where the words of a search stand in each text, by the rules of the search: whole graphemes, in order. */
  highlights(query: string, texts: readonly string[]): Promise<readonly (readonly TextSpan[])[]>;
  /** What the provider can answer with; for `local`, what is installed and what can be pulled. */
  listModels(provider: ProviderName, config: Config, env: Environment): Promise<readonly ListedModel[]>;
  pullModel(reference: string, pull: Pull): Promise<PulledModel>;
  /** The usual model servers that answer on this machine. Throws nothing. */
  findServers(): Promise<readonly FoundServer[]>;
  /** One short question to the model that the settings name. */
  tryModel(config: Config, env: Environment, signal: AbortSignal): AsyncIterable<TrialEvent>;
  /** One finding for each thing looked at, in the order to read them. Throws nothing. */
  checkStore(config: Config): Promise<readonly Finding[]>;
  checkProvider(config: Config, env: Environment): Promise<readonly Finding[]>;
}

/** A piece of a text, by its indices. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface Pull {
  readonly home: string;
  readonly signal: AbortSignal;
  onProgress(progress: PullProgress): void;
  /** Called for each source that failed, before the next is tried. */
  onSourceFailed(source: string, reason: string): void;
}
