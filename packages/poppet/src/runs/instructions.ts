/** What every request tells the model about its task. */
import type { Workload } from "../assistant.ts";

// Plain on purpose: a model of 135 million parameters loses its way with more.
const general = "You are a helpful AI assistant named Poppet";
const coding = `${general}. The conversation is about software: give working code, name the files it belongs in, and keep explanations short.`;

export function instructionsFor(workload: Workload): string {
  return workload === "coding" ? coding : general;
}
