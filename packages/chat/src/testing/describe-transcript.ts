/**
 * A suite with which anyone proves a store for conversations, under any test runner: the cases that every transcript must
 * pass, random histories beside a plain model of the tree, and what two who have the same transcript open see of each other.
 */
import { TranscriptMovedError } from "../errors.ts";
import type { EntryContent, Transcript } from "../transcript.ts";
import { collect, equal, isTrue } from "./expectations.ts";
import { randomSteps } from "./random-steps.ts";
import { type Runner, runSuite } from "./runner.ts";
import { transcriptCases } from "./transcript-cases.ts";
import { playTranscript } from "./transcript-play.ts";

/** `Place` is where one transcript is kept: a file's path, a session's ID, or the transcript itself. */
export interface TranscriptFactory<Place> {
  /** A place with nothing in it. */
  make(): Place | Promise<Place>;
  /** The transcript at the place, also where it is open already: then both are of the same conversation. */
  open(place: Place): Transcript | Promise<Transcript>;
  /** Frees what the case took. */
  remove?(place: Place): unknown;
}

/** The runner, and how the suite uses it. */
export interface TranscriptSuiteOptions extends Runner {
  /** Default: `the transcript`. */
  readonly name?: string;
  /** Random histories to play. Default: 20. */
  readonly histories?: number;
}

interface StoreCase {
  readonly name: string;
  run(open: () => Promise<Transcript>): Promise<void>;
}

/**
 * Registers a test for each thing that a store must do:
 *
 *     describeTranscript({ make: newFile, open: (path) => fileTranscript(path), remove: unlink }, { describe, test });
 */
export function describeTranscript<Place>(factory: TranscriptFactory<Place>, options: TranscriptSuiteOptions): void {
  const { name = "the transcript", histories = 20 } = options;
  const cases: readonly StoreCase[] = [
    ...transcriptCases.map((one) => ({ name: one.name, run: async (open: Open) => one.run(await open()) })),
    ...openedTwice,
    ...Array.from({ length: histories }, (_, i) => history(i + 1)),
  ];
  const placed = ({ name: what, run }: StoreCase) => ({ name: what, run: () => atPlace(factory, run) });
  runSuite(options, name, cases.map(placed));
}

type Open = () => Promise<Transcript>;

async function atPlace<Place>(factory: TranscriptFactory<Place>, run: (open: Open) => Promise<void>): Promise<void> {
  const place = await factory.make();
  try {
    await run(async () => factory.open(place));
  } finally {
    await factory.remove?.(place);
  }
}

const openedTwice: readonly StoreCase[] = [
  {
    name: "what was written is there when it is opened again",
    async run(open) {
      const first = await open();
      const tip = await append(first, "one", "two");
      isTrue(tip !== null, "a commit with content has no tip");
      await first.summarize(tip, "so far");
      const again = await open();
      equal(await again.tip(), tip);
      equal(await collect(again.back(tip)), await collect(first.back(tip)));
      equal((await collect(again.back(tip)))[0]?.summary, "so far");
    },
  },
  {
    name: "of two who have it open, one sees what the other wrote, and of two commits on one tip one is taken",
    async run(open) {
      const [mine, yours] = [await open(), await open()];
      const tip = await append(mine, "one");
      equal(await yours.tip(), tip);
      const commits = [mine, yours].map((transcript, i) => {
        const content: EntryContent[] = [{ role: "user", text: `race ${i}` }];
        return transcript.commit({ expected: tip, parent: tip, exchange: `race ${i}`, content });
      });
      const results = await Promise.allSettled(commits);
      const refused = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      equal(refused.map(TranscriptMovedError.isInstance), [true]);
      equal((await collect(mine.back(await yours.tip()))).length, 2);
      equal(await mine.tip(), await yours.tip());
    },
  },
];

function history(seed: number): StoreCase {
  return {
    name: `it is the tree that its history says (seed ${seed})`,
    run: async (open) => playTranscript(await open(), randomSteps(seed)),
  };
}

async function append(transcript: Transcript, ...texts: readonly string[]) {
  const tip = await transcript.tip();
  const content = texts.map((text): EntryContent => ({ role: "user", text }));
  return transcript.commit({ expected: tip, parent: tip, exchange: texts.join(), content });
}
