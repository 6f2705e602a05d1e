/** What is said after the settings were written. */

import { cleanLine } from "../../clean.ts";
import type { Program } from "../program.ts";

export function savedNotes(
  program: Program,
  saved: { readonly file: string; readonly provider: string; readonly model: string },
): readonly string[] {
  const { file, provider, model } = saved;
  const wins = ["POPPET_PROVIDER", "POPPET_MODEL"].filter((name) => program.env[name]);
  return [
    `saved ${cleanLine(file)}: new sessions are answered by ${provider} ${cleanLine(model)}`,
    ...wins.map((name) => `${name} is set in the environment and wins over the file`),
  ];
}
