/**
 * Which of the usual model servers answers on this machine: one GET to each place, all at once, with a short deadline. No
 * key is sent, no proxy asked and no redirect followed; what is no list of models counts as nothing there. Throws nothing.
 */
import { request } from "node:http";

export interface ServerPlace {
  readonly name: string;
  /** Of 127.0.0.1. */
  readonly port: number;
}

export interface FoundServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

const usualServers: readonly ServerPlace[] = [
  { name: "Ollama", port: 11434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
  { name: "vLLM", port: 8000 },
];

const deadlineMs = 300;
const mostBytes = 1_048_576;
const mostModels = 2_000;

export async function findServers(
  places: readonly ServerPlace[] = usualServers,
  signal: AbortSignal = AbortSignal.timeout(deadlineMs),
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(
    places.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const models = modelsIn(await bodyOf(`${baseUrl}/models`, signal));
      return models === null ? [] : [{ name, baseUrl, models }];
    }),
  );
  return found.flat();
}

/** Null: none, too much of it, too late, or not 200. */
function bodyOf(url: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, signal }, (response) => {
      if (response.statusCode !== 200) {
        resolve(null);
        asked.destroy();
        return;
      }
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      response.on("data", (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes <= mostBytes) chunks.push(chunk);
        else asked.destroy();
      });
      response.on("end", () => resolve(bytes <= mostBytes ? Buffer.concat(chunks).toString("utf8") : null));
      response.on("error", () => resolve(null));
      response.on("close", () => resolve(null));
    });
    asked.on("error", () => resolve(null));
    asked.on("close", () => resolve(null));
    asked.end();
  });
}

/** `{data: [{id}]}`, as OpenAI has it; null where it is anything else. */
function modelsIn(text: string | null): readonly string[] | null {
  let data: unknown;
  try {
    data = (JSON.parse(text ?? "") as { readonly data?: unknown } | null)?.data;
  } catch {
    return null;
  }
  // Ollama without a model says null.
  if (data === null) return [];
  if (!Array.isArray(data)) return null;
  const ids = data.map((model: { readonly id?: unknown } | null) => model?.id);
  if (!ids.every((id) => typeof id === "string")) return null;
  return [...new Set(ids)].slice(0, mostModels);
}
