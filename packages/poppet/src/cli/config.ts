/** `config path` and `config show`. On a terminal what would steer it is left out, or escaped where a value has it. */
import { cleanJson, cleanLine } from "../clean.ts";
import type { Program } from "./program.ts";

export async function configPath(this: Program): Promise<void> {
  const { configFile } = await import("../config/location.ts");
  const path = configFile(this.env);
  this.stdout.write(`${(await this.terminal()).stdout ? cleanLine(path) : path}\n`);
}

export async function configShow(this: Program, flags: { readonly json: boolean }): Promise<void> {
  const { settingsAsJson, settingsAsToml } = await import("../config/show.ts");
  const config = await this.config();
  const text = flags.json ? settingsAsJson(config) : settingsAsToml(config, this.env);
  // TOML has the same escapes as JSON.
  this.stdout.write((await this.terminal()).stdout ? cleanJson(text) : text);
}
