/** Random steps for `playTranscript`, the same for the same seed, with shapes that a tree gets wrong. */
import type { EntryContent } from "../transcript.ts";
import type { TranscriptStep } from "./transcript-play.ts";

export function randomSteps(seed: number, count = 14): readonly TranscriptStep[] {
  const below = randomNumbers(seed);
  const one = <Item>(list: readonly [Item, ...Item[]]): Item => list[below(list.length)] ?? list[0];
  const text = () => one(["", "word", "\0", "😀", "e\u0301", "\u202e", "'; --", "{}", "a\nb"] as const);
  /** Mostly the tip, else anything. */
  const pick = () => (below(4) > 0 ? 0 : below(40));
  const content = (): EntryContent => contentOf(below(6), text());
  const contents = () => {
    const kind = below(6);
    if (kind === 0) return [];
    return kind === 1 ? [{ role: "clear" } as const] : Array.from({ length: 1 + below(4) }, content);
  };
  return Array.from({ length: count }, (): TranscriptStep => {
    const kind = below(8);
    if (kind === 0) return { type: "race", commits: below(4) };
    if (kind === 1) return { type: "summarize", entry: below(40), text: text() };
    return { type: "commit", expected: pick(), parent: pick(), content: contents() };
  });
}

function contentOf(kind: number, text: string): EntryContent {
  const call = { toolCallId: "1", toolName: "a.b", input: { n: [1, null] } };
  if (kind === 0)
    return { role: "tool", results: [{ toolCallId: "1", toolName: "a.b", state: "failed", output: text }] };
  if (kind < 3) return { role: "user", text };
  const continuation = kind === 3 ? { own: [text] } : null;
  const said = { role: "assistant", text, reasoning: "", toolCalls: kind === 4 ? [call] : [] } as const;
  return { ...said, provider: "p", model: "m", continuation, measured: null };
}

/** Whole numbers from 0 up to a bound (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
