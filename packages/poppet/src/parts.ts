/** The program's real parts, put together, each loaded at its first use. Where the arrows of the architecture meet. */
import type { Parts } from "./cli/parts.ts";
import type { Config } from "./config/load.ts";
import { type Environment, folderOf } from "./config/location.ts";
import type { ModelDeps } from "./models/registry.ts";

export const parts: Parts = {
  async openAssistant(config, env) {
    const { openLocal } = await import("./local.ts");
    return openLocal({
      home: config.home,
      settingsFolder: folderOf(config.file),
      settings: config.settings,
      models: {
        tools: [],
        async window(choice) {
          const { windowOf } = await import("./models/catalogue.ts");
          return windowOf(choice, config.settings);
        },
        async open({ provider, model, sessionId }, signal) {
          const { openModel } = await import("./models/registry.ts");
          const deps = { ...modelDeps(config, env), sessionId };
          return openModel({ provider, model }, config.settings, deps, signal);
        },
      },
    });
  },

  async hasDatabase(config) {
    const { databaseFile } = await import("./store/sqlite.ts");
    return Bun.file(databaseFile(config.home)).exists();
  },

  async library(config) {
    const { openLibrary } = await import("./projects/library.ts");
    return openLibrary(folderOf(config.file));
  },

  async highlights(query, texts) {
    const { highlights } = await import("./sessions/hits.ts");
    return highlights(query, texts);
  },

  async listModels(provider, config, env) {
    const { listModels } = await import("./models/list.ts");
    return listModels(provider, config.settings, modelDeps(config, env));
  },

  async pullModel(reference, { home, ...pull }) {
    const [{ pullModel }, { becomeOwner, isOwnerAlive }] = await Promise.all([
      import("./models/local/pull.ts"),
      import("./store/owners.ts"),
    ]);
    const owners = {
      become: () => becomeOwner(home, () => Bun.randomUUIDv7()),
      isAlive: (id: string) => isOwnerAlive(home, id),
    };
    return pullModel(reference, { folder: modelsFolder(home), owners, ...pull });
  },

  async findServers() {
    const { findServers } = await import("./models/servers.ts");
    return findServers();
  },

  async *tryModel(config, env, signal) {
    const { tryModel } = await import("./models/try.ts");
    yield* tryModel(config.settings, modelDeps(config, env), signal);
  },

  async checkStore(config) {
    const { checkStore } = await import("./store/check.ts");
    return checkStore(config.home);
  },

  async checkProvider(config, env) {
    const { checkProvider } = await import("./models/check.ts");
    return checkProvider(config.settings, modelDeps(config, env));
  },
};

function modelDeps(config: Config, env: Environment): ModelDeps {
  return { env, now: Date.now, modelsFolder: modelsFolder(config.home) };
}

function modelsFolder(home: string): string {
  return `${home}/models`;
}
