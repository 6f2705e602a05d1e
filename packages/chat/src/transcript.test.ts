import { describe, test } from "bun:test";
import fc from "fast-check";
import { transcriptSteps } from "../test/transcript-steps.ts";
import { playTranscript, transcriptCases } from "./testing/index.ts";
import { memoryTranscript } from "./transcript.ts";

describe("L6 the transcript in memory", () => {
  for (const { name, run } of transcriptCases) test(name, () => run(memoryTranscript()));

  test("laws: nothing accepted is lost, nothing refused changes anything, siblings do not matter", async () => {
    await fc.assert(
      fc.asyncProperty(transcriptSteps, (steps) => playTranscript(memoryTranscript(), steps)),
      { numRuns: 300 },
    );
  });
});
