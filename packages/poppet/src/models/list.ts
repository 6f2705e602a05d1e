/**
 * The models of a provider, for `models [PROVIDER]`: of the catalogue, or for `openai-compatible` what its server lists,
 * by one GET. The settings' own figures win.
 */
import { ChatError } from "@poppet/chat";
import { providerError } from "@poppet/chat/provider";
import type { ProviderName, Settings } from "../settings.ts";
import { catalogueOf } from "./catalogue.ts";
import { type Connection, connectionTo, type ModelDeps } from "./connection.ts";

export interface ListedModel {
  /** `provider/model`, as the settings take it. */
  readonly name: string;
  readonly provider: ProviderName;
  readonly model: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly tools: boolean | null;
  /** US dollars for a million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /** A file on this machine, there or to be pulled. */
  readonly local: { readonly installed: boolean; readonly bytes: number; readonly note: string | null } | null;
}

const listingMs = 10_000;
const listingBytes = 4 * 1024 * 1024;

export async function listModels(
  provider: ProviderName,
  settings: Settings,
  deps: ModelDeps,
  signal: AbortSignal = AbortSignal.timeout(listingMs),
): Promise<readonly ListedModel[]> {
  if (provider === "local") return localModels(settings, deps);
  const catalogue = await catalogueOf(provider);
  const set = Object.keys(settings.models).filter((name) => name.startsWith(`${provider}/`));
  const served =
    provider === "openai-compatible" ? await servedModels(connectionTo(provider, settings, deps), deps, signal) : [];
  const models = new Set([...catalogue.keys(), ...served, ...set.map((name) => name.slice(provider.length + 1))]);
  return [...models].sort().map((model) => {
    const name = `${provider}/${model}`;
    const own = settings.models[name];
    const known = catalogue.get(model);
    return {
      name,
      provider,
      model,
      contextWindow: own?.contextWindow ?? known?.contextWindow ?? null,
      maxOutputTokens: own?.maxOutputTokens ?? known?.maxOutputTokens ?? null,
      tools: own?.tools ?? known?.tools ?? null,
      price: known ? { input: known.price.input, output: known.price.output } : null,
      local: null,
    };
  });
}

/** Those of the catalogue in its order, smallest first, then what else is in the folder. */
async function localModels(settings: Settings, deps: ModelDeps): Promise<readonly ListedModel[]> {
  const [{ catalogue }, { installedModels }] = await Promise.all([
    import("./local/catalogue.ts"),
    import("./local/files.ts"),
  ]);
  const installed = new Map((await installedModels(deps.modelsFolder)).map((one) => [one.name, one.bytes]));
  const notes = new Map(catalogue.map((one) => [one.name, `${one.licence}; ${one.goodFor}`]));
  const sizes = new Map([...catalogue.map((one) => [one.name, one.bytes] as const), ...installed]);
  return [...sizes].map(([model, bytes]) => {
    const name = `local/${model}`;
    const own = settings.models[name];
    return {
      name,
      provider: "local",
      model,
      contextWindow: own?.contextWindow ?? null,
      maxOutputTokens: own?.maxOutputTokens ?? null,
      tools: own?.tools ?? null,
      price: null,
      local: { installed: installed.has(model), bytes, note: notes.get(model) ?? null },
    };
  });
}

async function servedModels(connection: Connection, deps: ModelDeps, signal: AbortSignal): Promise<readonly string[]> {
  const { label, baseUrl, apiKey, keyHint } = connection;
  try {
    const response = await connection.fetch(`${baseUrl}/models`, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      signal,
    });
    if (response.status === 404) {
      throw new ChatError(
        "provider_rejected",
        `There is no list of models at ${label}. Check the base URL, or name the model.`,
      );
    }
    const text = await textOf(response, label);
    // The shape that the SDKs' packages throw, so that it is sorted as their errors are.
    if (!response.ok) {
      const responseHeaders = Object.fromEntries(response.headers);
      throw { statusCode: response.status, responseHeaders, responseBody: text, message: response.statusText };
    }
    return idsOf(text, label);
  } catch (thrown) {
    const secrets = apiKey === null ? [] : [apiKey];
    throw providerError(thrown, {
      provider: "openai-compatible",
      modelId: "its list of models",
      label,
      keyHint,
      secrets,
      now: deps.now,
    });
  }
}

async function textOf(response: Response, label: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > listingBytes) {
      throw new ChatError(
        "provider_malformed",
        `The list of models at ${label} is larger than ${listingBytes} bytes, so it is none. Check the base URL.`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** `{data: [{id}]}`, as OpenAI has it. */
function idsOf(text: string, label: string): readonly string[] {
  try {
    const { data } = JSON.parse(text) as { data: readonly { id: unknown }[] };
    return data.map((model) => model.id).filter((id): id is string => typeof id === "string");
  } catch {
    throw new ChatError("provider_malformed", `${label} answered with no list of models. Check the base URL.`);
  }
}
