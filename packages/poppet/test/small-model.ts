/** The real small model for tests, fetched once by the product's own pull into a cache folder that CI keeps. */
import { join } from "node:path";
import { type PulledModel, pullModel } from "../src/models/local/pull.ts";
import { pullOwners } from "./pull-owners.ts";

export const modelsFolder = join(process.env.POPPET_TEST_CACHE ?? join(import.meta.dir, "../../../.cache"), "models");

export const smallModelName = "smollm2-135m";

let pulled: Promise<PulledModel> | null = null;

export function smallModel(): Promise<PulledModel> {
  pulled ??= pullModel(smallModelName, {
    folder: modelsFolder,
    owners: pullOwners(join(modelsFolder, "..")),
    signal: AbortSignal.timeout(300_000),
  });
  return pulled;
}
