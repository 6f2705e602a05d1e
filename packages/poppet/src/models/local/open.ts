/** The provider `local`: a GGUF file of the models' folder, or any other, run in this process by the library. */
import { type LocalGguf, localGguf, type Sampling } from "@poppet/chat/local-gguf";
import type { ModelFacts, ProviderSettings } from "../../settings.ts";
import { usableModelFile } from "./files.ts";
import { requireEngine } from "./installed.ts";

export interface OpenLocalModelOptions {
  /** A name in `modelsFolder`, or the path of a file. */
  readonly model: string;
  readonly settings: ProviderSettings;
  readonly facts: ModelFacts;
  readonly modelsFolder: string;
  readonly signal: AbortSignal;
  /** In place of what suits the model; `{ temperature: 0 }` gives the same answer each time. */
  readonly sampling?: Partial<Sampling>;
}

export async function openLocalModel(options: OpenLocalModelOptions): Promise<LocalGguf> {
  const { model, facts, settings, sampling, signal } = options;
  const path = await usableModelFile(model, options.modelsFolder);
  requireEngine();
  return localGguf({
    ...{ path, modelId: model, gpu: settings.gpu !== "off", signal },
    ...(settings.threads !== undefined && { threads: settings.threads }),
    ...(facts.contextWindow !== undefined && { contextWindow: facts.contextWindow }),
    ...(facts.maxOutputTokens !== undefined && { maxOutputTokens: facts.maxOutputTokens }),
    ...(facts.tools !== undefined && { tools: facts.tools }),
    ...(sampling && { sampling }),
  });
}
