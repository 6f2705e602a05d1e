/** The program's real parts, each loaded at its first use. */
import type { Parts } from "./cli/parts.ts";

export const parts: Parts = {
  async openAssistant(config, env) {
    const { openLocal } = await import("./local.ts");
    return openLocal({ home: config.home, settings: config.settings, env });
  },
  async listModels() {
    return [];
  },
  async pullModel() {
    throw new Error("models pull is not wired");
  },
  async checkStore() {
    return [];
  },
  async checkProvider() {
    return [];
  },
};
