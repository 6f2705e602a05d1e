/** A place held for the assistant in this process, which is written elsewhere at this moment. */
import type { Assistant } from "./assistant.ts";
import type { Settings } from "./settings.ts";

export interface LocalDeps {
  readonly home: string;
  readonly settings: Settings;
  readonly env: { readonly [name: string]: string | undefined };
}

export async function openLocal(_deps: LocalDeps): Promise<Assistant> {
  throw new Error("local.ts is not there yet");
}
