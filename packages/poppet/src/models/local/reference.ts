/** What a person may ask `models pull` for, and what the model is called afterwards. */
import { PoppetError } from "../../error.ts";
import { hint } from "../../nearest.ts";
import { catalogue, catalogueModel, type PullableModel } from "./catalogue.ts";
import { modelName } from "./files.ts";

export type ModelReference =
  | { readonly kind: "catalogue"; readonly model: PullableModel }
  | { readonly kind: "hub"; readonly repository: string; readonly quant: string | null }
  | { readonly kind: "file"; readonly path: string; readonly name: string };

export function parseReference(reference: string): ModelReference {
  if (reference.startsWith("hf:")) return hubReference(reference);
  const model = catalogueModel(reference);
  if (model) return { kind: "catalogue", model };
  if (/[/\\]|\.gguf$/i.test(reference)) return { kind: "file", path: reference, name: modelName(reference) };
  const names = catalogue.map((one) => one.name);
  throw new PoppetError(
    "model_unknown",
    `No model ${JSON.stringify(reference)} in the catalogue; there are ${names.join(", ")}; or give hf:owner/repo[:quant] or a .gguf file${hint(reference, names) || "."}`,
  );
}

function hubReference(reference: string): ModelReference {
  const found = /^hf:([\w.-]+\/[\w.-]+?)(?::([\w.-]+))?$/.exec(reference);
  const repository = found?.[1];
  if (repository === undefined || repository.includes("..")) {
    throw new PoppetError(
      "model_unknown",
      `${JSON.stringify(reference)} is no model of the hub: write hf:owner/repo or hf:owner/repo:quant, such as hf:Qwen/Qwen3-0.6B-GGUF:Q8_0.`,
    );
  }
  return { kind: "hub", repository, quant: found?.[2] ?? null };
}
