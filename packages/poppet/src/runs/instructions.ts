/** What every request tells the model about its task. */
import type { Workload } from "../assistant.ts";

const general =
  "You are Poppet, a private assistant. Answer the person's message directly, in its language, as briefly as it allows. Say so when you do not know.";
const coding = `${general} The conversation is about software: give working code, name the files it belongs in, and keep explanations short.`;

export function instructionsFor(workload: Workload): string {
  return workload === "coding" ? coding : general;
}
