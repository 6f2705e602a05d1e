/** The copies that a new session gets of the skill and the project that it names: read, checked, and known to fit. */
import { inputTokens } from "@poppet/chat";
import type { Selection, Workload } from "../assistant.ts";
import { readSelection } from "../projects/selection.ts";
import type { Settings } from "../settings.ts";
import { type Copies, instructionsFor, refuseUnfitting } from "./instructions.ts";
import type { ModelSource } from "./run-turn.ts";

/** PoppetError, exit code 2: the name is unknown, its file is broken, or the instructions do not fit by themselves. */
export async function copySelection(
  services: { readonly settingsFolder: string; readonly settings: Settings; readonly models: ModelSource },
  target: Selection & { readonly workload: Workload },
): Promise<Copies> {
  const copies = await readSelection(services.settingsFolder, target);
  const budget = { bytes: services.settings.limits.contextBytes, tokens: await knownTokens(services) };
  refuseUnfitting(instructionsFor({ ...copies, workload: target.workload }), copies, budget, { exitCode: 2 });
  return copies;
}

/** The tokens that a request may take, where that is known before the model is opened. */
async function knownTokens(services: {
  readonly settings: Settings;
  readonly models: ModelSource;
}): Promise<number | null> {
  const { provider, model } = services.settings;
  if (provider === null || model === null) return null;
  const window = await services.models.window({ provider, model });
  return window && inputTokens(window.contextWindow, window.maxOutputTokens);
}
