import { describe, test } from "bun:test";
import { transcriptCases } from "./testing/index.ts";
import { memoryTranscript } from "./transcript.ts";

describe("L6 the transcript in memory", () => {
  for (const { name, run } of transcriptCases) test(name, () => run(memoryTranscript()));
});
