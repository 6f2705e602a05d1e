import { describe, test } from "bun:test";
import fc from "fast-check";
import { transcriptSteps } from "../test/transcript-steps.ts";
import { describeTranscript, playTranscript } from "./testing/index.ts";
import { memoryTranscript } from "./transcript.ts";

describeTranscript(
  { make: () => memoryTranscript(), open: (transcript) => transcript },
  { describe, test, name: "L6 the transcript in memory" },
);

test("L6 laws of the transcript: nothing accepted is lost, nothing refused changes anything, siblings do not matter", async () => {
  await fc.assert(
    fc.asyncProperty(transcriptSteps, (steps) => playTranscript(memoryTranscript(), steps)),
    { numRuns: 300 },
  );
});
