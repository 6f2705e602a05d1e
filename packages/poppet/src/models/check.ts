/**
 * What `doctor` says of the chosen provider: its key, its address, the model. Asks a server of one's own for its list of
 * models; asks nothing of a service that bills.
 */
import { type Finding, findingText } from "../finding.ts";
import { hint } from "../nearest.ts";
import type { ProviderName, Settings } from "../settings.ts";
import { connectionTo, type ModelDeps } from "./connection.ts";
import { listModels } from "./list.ts";
import { providerFacts } from "./providers.ts";

export async function checkProvider(settings: Settings, deps: ModelDeps): Promise<readonly Finding[]> {
  const { provider, model } = settings;
  if (provider === null) return [];
  try {
    if (provider === "local") return [await localFinding(model, deps)];
    const { baseUrl, apiKey } = connectionTo(provider, settings, deps);
    const key = apiKey === null ? "no API key, none needed" : "API key found";
    return [
      { ok: true, subject: "provider", message: `${provider} at ${baseUrl}, ${key}` },
      ...(await modelFindings(provider, model, settings, deps)),
    ];
  } catch (thrown) {
    return [{ ok: false, subject: "provider", message: findingText(thrown) }];
  }
}

async function localFinding(model: string | null, deps: ModelDeps): Promise<Finding> {
  const subject = "provider";
  if (model === null) return { ok: true, subject, message: "local, on this machine" };
  const { wholeModelFile } = await import("./local/files.ts");
  return { ok: true, subject, message: `local, ${await wholeModelFile(model, deps.modelsFolder)}` };
}

async function modelFindings(
  provider: ProviderName,
  model: string | null,
  settings: Settings,
  deps: ModelDeps,
): Promise<readonly Finding[]> {
  if (model === null) return [];
  const known = (await listModels(provider, settings, deps)).map((one) => one.model);
  if (known.includes(model)) return [{ ok: true, subject: "model", message: `${model} is known` }];
  const meant = hint(model, known);
  if (provider === "openai-compatible") {
    return [
      {
        ok: false,
        subject: "model",
        message: `the server does not list ${model}${meant || `; it has ${known.slice(0, 5).join(", ") || "none"}`}`,
      },
    ];
  }
  const facts = `${providerFacts[provider].label} may have it all the same`;
  return [{ ok: true, subject: "model", message: `${model} is not in the catalogue${meant || `; ${facts}`}` }];
}
