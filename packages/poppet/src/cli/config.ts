/** `config path` and `config show`. */
import type { Program } from "./program.ts";

export async function configPath(this: Program): Promise<void> {
  const { configFile } = await import("../config/location.ts");
  this.stdout.write(`${configFile(this.env)}\n`);
}

export async function configShow(this: Program, flags: { readonly json: boolean }): Promise<void> {
  const { settingsAsJson, settingsAsToml } = await import("../config/show.ts");
  const config = await this.config();
  this.stdout.write(flags.json ? settingsAsJson(config) : settingsAsToml(config, this.env));
}
