import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryTranscript, type Transcript, type TranscriptChange, TranscriptMovedError } from "../index.ts";
import { describeTranscript, type TranscriptFactory } from "./index.ts";

const memory: TranscriptFactory<Transcript> = { make: () => memoryTranscript(), open: (transcript) => transcript };

/** The names of the cases that fail. */
async function failing(factory: TranscriptFactory<Transcript>): Promise<readonly string[]> {
  const cases: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  describeTranscript(factory, { test: (name, run) => cases.push({ name, run }) });
  const names: string[] = [];
  for (const { name, run } of cases) {
    await run().catch(() => names.push(name.replace(/^the transcript: | \(seed \d+\)$/g, "")));
  }
  return names;
}

type Change = (transcript: Transcript) => Partial<Transcript>;
function changed(change: Change): TranscriptFactory<Transcript> {
  const make = () => {
    const transcript = memoryTranscript();
    return { ...transcript, ...change(transcript) };
  };
  return { make, open: (transcript) => transcript };
}
const commit = (transcript: Transcript, more: (change: TranscriptChange) => TranscriptChange) =>
  ({ commit: (change: TranscriptChange) => transcript.commit(more(change)) }) satisfies Partial<Transcript>;

/** One mistake each, and the case that must notice it. */
const broken: readonly (readonly [string, Change, string])[] = [
  ["a tip of its own", () => ({ tip: async () => "x" }), "an empty transcript has no tip"],
  ["no tip at all", () => ({ tip: async () => null }), "a commit appends its entries in order"],
  [
    "entries oldest first",
    (one) => ({
      async *back(from) {
        const all = await Array.fromAsync(one.back(from));
        yield* all.reverse();
      },
    }),
    "a commit appends its entries in order",
  ],
  [
    "text with U+0000 cut",
    (one) => commit(one, (change) => JSON.parse(JSON.stringify(change).replaceAll("\\u0000", ""))),
    "content comes back as it went in",
  ],
  [
    "no comparing",
    (one) => ({ commit: async (change) => one.commit({ ...change, expected: await one.tip() }) }),
    "a commit on a tip that has moved is refused",
  ],
  [
    "comparing, then waiting, then writing",
    (one) => {
      let writing: Promise<unknown> = Promise.resolve();
      return {
        async commit(change) {
          if ((await one.tip()) !== change.expected) throw new TranscriptMovedError();
          const write = writing.then(async () => one.commit({ ...change, expected: await one.tip() }));
          writing = write;
          return write;
        },
      };
    },
    "of two commits on one tip exactly one is taken",
  ],
  [
    "the tip as every parent",
    (one) => commit(one, (change) => ({ ...change, parent: change.expected })),
    "a commit on an older entry takes back",
  ],
  [
    "commits without content passed over",
    (one) => ({ commit: async (change) => (change.content.length === 0 ? change.expected : one.commit(change)) }),
    "a commit without content only moves the tip",
  ],
  [
    "no clears",
    (one) =>
      commit(one, (change) => ({ ...change, content: change.content.filter((entry) => entry.role !== "clear") })),
    "a clear is an entry like any other",
  ],
  ["summaries forgotten", () => ({ summarize: async () => {} }), "a summary stands beside its entry"],
  [
    "the first summary kept",
    (one) => {
      const done = new Set<string>();
      return {
        async summarize(through, text) {
          if (!done.has(through)) await one.summarize(through, text);
          done.add(through);
        },
      };
    },
    "a summary stands beside its entry",
  ],
  [
    "a summary cut at U+0000, as SQLite reads a column of text",
    (one) => ({ summarize: (through, text) => one.summarize(through, text.replace(/\0.*$/s, "")) }),
    "a summary stands beside its entry",
  ],
  [
    "no summary beside a clear",
    (one) => ({
      async *back(from) {
        for await (const entry of one.back(from))
          yield entry.content.role === "clear" ? { ...entry, summary: null } : entry;
      },
    }),
    "what a model sees ends at the nearest summary",
  ],
  [
    "nothing behind an unknown entry",
    (one) => ({
      async *back(from) {
        try {
          yield* one.back(from);
        } catch {}
      },
    }),
    "an unknown entry is an error",
  ],
  [
    "a path of at most sixty-four",
    (one) => ({
      async *back(from) {
        let left = 64;
        for await (const entry of one.back(from)) if (left-- > 0) yield entry;
      },
    }),
    "a reader that stops early",
  ],
  [
    "bytes of another count",
    (one) => ({
      async *back(from) {
        for await (const entry of one.back(from)) yield { ...entry, bytes: entry.bytes + 1 };
      },
    }),
    "it is the tree that its history says",
  ],
];

test("L6 the suite for stores takes the errors of another copy of the package for what they are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poppet-copy-"));
  const { outputs } = await Bun.build({ entrypoints: [join(import.meta.dir, "../index.ts")], outdir: folder });
  const other: typeof import("../index.ts") = await import(outputs[0]?.path ?? "");
  expect(await failing({ make: () => other.memoryTranscript(), open: (transcript) => transcript })).toEqual([]);
  rmSync(folder, { recursive: true });
});

describe("L6 the suite for stores notices", () => {
  test.each(broken)("%s", async (_name, change, caughtBy) => {
    expect(await failing(changed(change))).toContainEqual(expect.stringContaining(caughtBy));
  });

  test("what is not there when opened again", async () => {
    const factory = { make: () => memoryTranscript(), open: () => memoryTranscript() };
    expect(await failing(factory)).toEqual([
      "what was written is there when it is opened again",
      expect.stringContaining("of two who have it open"),
    ]);
  });

  test("two who each remember the tip by themselves", async () => {
    const open = (shared: Transcript): Transcript => {
      let tip = shared.tip();
      return {
        ...shared,
        tip: () => tip,
        async commit(change) {
          if ((await tip) !== change.expected) throw new TranscriptMovedError();
          const next = shared.commit({ ...change, expected: await shared.tip() });
          tip = next;
          return next;
        },
      };
    };
    const names = await failing({ make: () => memoryTranscript(), open });
    expect(names).toContainEqual(expect.stringContaining("of two who have it open"));
  });

  test("nothing in one that is right; and each of its cases is in this table", async () => {
    expect(await failing(memory)).toEqual([]);
    const names: string[] = [];
    describeTranscript(memory, { test: (name) => names.push(name) });
    const caught = [...broken.map(([, , by]) => by), "what was written is there", "of two who have it open"];
    expect(names.filter((name) => !caught.some((by) => name.includes(by)))).toEqual([]);
  });
});
