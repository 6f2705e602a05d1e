/** How a local model chooses. */
import type { LlamaModel } from "node-llama-cpp";

/** How the next token is chosen. */
export interface Sampling {
  /** 0: always the most likely token, the same answer each time. */
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly seed?: number;
}

/** Below this many parameters a model that may choose freely talks nonsense. */
const tinyParameters = 300_000_000;

/** What the file's maker recommends in its metadata, else what suits a model of its size. */
export function defaultSampling(model: LlamaModel): Sampling {
  const general = model.fileInfo.metadata.general as { readonly sampling?: unknown } | undefined;
  const recommended = (general?.sampling ?? {}) as { readonly [key: string]: unknown };
  const number = (key: string, otherwise: number) => {
    const value = recommended[key];
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  const tiny = parameters(model) < tinyParameters;
  return { temperature: number("temp", tiny ? 0 : 0.6), topP: number("top_p", 0.95), topK: number("top_k", 40) };
}

function parameters(model: LlamaModel): number {
  const tensors = model.fileInfo.fullTensorInfo ?? [];
  return tensors.reduce((sum, tensor) => sum + tensor.dimensions.reduce<number>((n, d) => n * Number(d), 1), 0);
}
