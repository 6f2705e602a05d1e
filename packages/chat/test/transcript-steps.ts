/** Random steps for `playTranscript`, with shapes that a tree gets wrong: odd parents, clears, summaries, races. */
import fc from "fast-check";
import type { EntryContent } from "../src/index.ts";
import type { TranscriptStep } from "../src/testing/index.ts";

const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("", "\0", "😀", "e\u0301", "\u202e", "'; --"));
const call = { toolCallId: "1", toolName: "a.b", input: { n: [1, null] } };
const content: fc.Arbitrary<EntryContent> = fc.oneof(
  text.map((words): EntryContent => ({ role: "user", text: words })),
  fc.tuple(text, fc.option(fc.constant({ own: ["x"] })), fc.boolean()).map(
    ([words, continuation, calls]): EntryContent => ({
      ...{ role: "assistant", text: words, reasoning: "", toolCalls: calls ? [call] : [], provider: "p", model: "m" },
      ...{ continuation, measured: null },
    }),
  ),
  fc.constant<EntryContent>({
    role: "tool",
    results: [{ toolCallId: "1", toolName: "a.b", state: "completed", output: "done" }],
  }),
);
const contents = fc.oneof(
  { weight: 4, arbitrary: fc.array(content, { minLength: 1, maxLength: 4 }) },
  fc.constant<EntryContent[]>([{ role: "clear" }]),
  fc.constant<EntryContent[]>([]),
);
/** Mostly the tip, or else anything. */
const pick = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(40));

export const transcriptSteps: fc.Arbitrary<TranscriptStep[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant("commit" as const), expected: pick, parent: pick, content: contents }),
    },
    fc.record({ type: fc.constant("race" as const), commits: fc.nat(4) }),
    fc.record({ type: fc.constant("summarize" as const), entry: fc.nat(40), text }),
  ),
  { maxLength: 14, size: "max" },
);
