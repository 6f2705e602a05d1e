/** `models`: what can answer. A table on a terminal, JSON anywhere else. */
import { PoppetError } from "../error.ts";
import type { ListedModel } from "../models/list.ts";
import { hint } from "../nearest.ts";
import { type ProviderName, providerNames } from "../settings.ts";
import { printJson } from "./print.ts";
import type { Program } from "./program.ts";
import { table } from "./render/table.ts";
import { byteSize } from "./render/time.ts";

export async function listModels(this: Program, flags: { readonly json: boolean }, named?: string): Promise<void> {
  const config = await this.config();
  const providers: readonly ProviderName[] =
    named === undefined
      ? [...new Set<ProviderName>(["local", config.settings.provider ?? "local"])]
      : [provider(named)];
  const models: ListedModel[] = [];
  for (const name of providers) models.push(...(await this.parts.listModels(name, config, this.env)));
  const terminal = await this.terminal();
  if (flags.json || !terminal.stdout) {
    await printJson(this, JSON.stringify({ models }));
    return;
  }
  const rows = models.map((model) => [
    model.provider,
    model.model,
    state(model),
    tokens(model),
    price(model),
    model.local?.note ?? "",
  ]);
  this.stdout.write(rows.length > 0 ? table(rows, terminal.columns()) : "No models are known here.\n");
}

function provider(named: string): ProviderName {
  const found = providerNames.find((name) => name === named);
  if (found !== undefined) return found;
  throw new PoppetError(
    "provider_unknown",
    `unknown provider "${named}"${hint(named, providerNames) || `; known are ${providerNames.join(", ")}`}`,
    { exitCode: 2 },
  );
}

function state({ local }: ListedModel): string {
  return local === null ? "" : `${local.installed ? "installed" : "to pull"} ${byteSize(local.bytes)}`;
}

function tokens(model: ListedModel): string {
  return model.contextWindow === null ? "" : `${Math.round(model.contextWindow / 1000)}k tokens`;
}

function price({ price }: ListedModel): string {
  return price === null ? "" : `$${price.input} in, $${price.output} out`;
}
