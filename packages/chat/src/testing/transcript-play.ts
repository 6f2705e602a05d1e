/**
 * The laws of a Transcript, played step by step beside a plain model of the tree: an accepted commit is never lost, a
 * refused one changes nothing, and what is read from an entry depends on its own path only, whatever its siblings do.
 * Feed it random steps from any generator; it throws at the first step that breaks a law.
 */
import { readContext } from "../context.ts";
import { TranscriptEntryError, TranscriptMovedError } from "../errors.ts";
import { messageBytes } from "../messages.ts";
import type { EntryContent, Tip, Transcript } from "../transcript.ts";
import { collect, equal, throws } from "./expectations.ts";

/** Numbers pick an entry: 0 is the tip, 1 the empty beginning, 2 an ID that is in no transcript, the others an entry. */
export type TranscriptStep =
  | {
      readonly type: "commit";
      readonly expected: number;
      readonly parent: number;
      readonly content: readonly EntryContent[];
    }
  /** So many commits on the tip at once. */
  | { readonly type: "race"; readonly commits: number }
  | { readonly type: "summarize"; readonly entry: number; readonly text: string };

interface ModelEntry {
  readonly parentId: Tip;
  readonly exchange: string;
  readonly content: EntryContent;
  readonly summary: string | null;
}

const unknownId = "no-such-entry";

/** Takes an empty transcript. */
export async function playTranscript(transcript: Transcript, steps: readonly TranscriptStep[]): Promise<void> {
  const model = new Map<string, ModelEntry>();
  let tip: Tip = null;

  function picked(pick: number): Tip {
    if (pick === 0) return tip;
    if (pick === 1) return null;
    const ids = [...model.keys()];
    return pick === 2 ? unknownId : (ids[pick % Math.max(1, ids.length)] ?? null);
  }

  /** Takes over what the transcript wrote, by walking back from its new tip. */
  async function adopt(newTip: Tip, parent: Tip, exchange: string, content: readonly EntryContent[]): Promise<void> {
    const written = newTip === null ? [] : (await collect(transcript.back(newTip))).slice(0, content.length).reverse();
    equal(
      written.map((entry) => entry.content),
      content,
    );
    let at = parent;
    for (const [i, entry] of written.entries()) {
      if (model.has(entry.id)) throw new Error(`the ID ${entry.id} was given twice`);
      model.set(entry.id, { parentId: at, exchange, content: content[i] ?? entry.content, summary: null });
      at = entry.id;
    }
    equal(newTip, at);
    tip = newTip;
  }

  async function commit(step: Extract<TranscriptStep, { type: "commit" }>, exchange: string): Promise<void> {
    const expected = picked(step.expected);
    const parent = picked(step.parent);
    const change = { expected, parent, exchange, content: step.content };
    if (parent === unknownId) return throws(TranscriptEntryError, () => transcript.commit(change));
    if (expected !== tip) return throws(TranscriptMovedError, () => transcript.commit(change));
    await adopt(await transcript.commit(change), parent, exchange, step.content);
  }

  async function race(commits: number, exchange: string): Promise<void> {
    const contents = Array.from({ length: commits }, (_, i): EntryContent[] => [{ role: "user", text: `race ${i}` }]);
    const results = await Promise.allSettled(
      contents.map((content) => transcript.commit({ expected: tip, parent: tip, exchange, content })),
    );
    equal(results.filter((one) => one.status === "fulfilled").length, Math.min(1, commits));
    for (const [i, result] of results.entries()) {
      if (result.status === "fulfilled") await adopt(result.value, tip, exchange, contents[i] ?? []);
      else if (!TranscriptMovedError.isInstance(result.reason)) throw result.reason;
    }
  }

  async function summarize(id: Tip, text: string): Promise<void> {
    const entry = id === null ? undefined : model.get(id);
    if (id === null) return;
    if (!entry) return throws(TranscriptEntryError, () => transcript.summarize(id, text));
    await transcript.summarize(id, text);
    model.set(id, { ...entry, summary: text });
  }

  for (const [i, step] of steps.entries()) {
    if (step.type === "commit") await commit(step, `exchange ${i}`);
    else if (step.type === "race") await race(step.commits, `exchange ${i}`);
    else await summarize(picked(step.entry), step.text);
    equal(await transcript.tip(), tip);
    await checkReading(transcript, model, tip);
  }
  for (const id of model.keys()) await checkReading(transcript, model, id);
}

async function checkReading(transcript: Transcript, model: ReadonlyMap<string, ModelEntry>, from: Tip): Promise<void> {
  const path = pathOf(model, from);
  equal(
    await collect(transcript.back(from)),
    path.map(([id, entry]) => ({ id, ...entry, bytes: bytesOf(entry.content) })),
  );
  for (const exchanges of [0, 1, 2, 1_000]) {
    const read = await readContext(transcript, from, { exchanges, bytes: 1e9 });
    equal(
      { summary: read.summary, messages: read.exchanges.map((one) => one.messages) },
      contextOf(
        path.map(([, entry]) => entry),
        exchanges,
      ),
    );
  }
}

function pathOf(model: ReadonlyMap<string, ModelEntry>, from: Tip): [string, ModelEntry][] {
  const path: [string, ModelEntry][] = [];
  for (let at = from; at !== null; ) {
    const entry = model.get(at);
    if (!entry) throw new Error(`the model has no entry ${at}`);
    path.push([at, entry]);
    at = entry.parentId;
  }
  return path;
}

/** What a model may be sent of a path, newest first, said as plainly as can be. */
function contextOf(path: readonly ModelEntry[], exchanges: number) {
  const stop = path.findIndex((entry) => entry.content.role === "clear" || entry.summary !== null);
  const visible = stop < 0 ? path : path.slice(0, stop);
  const ids = [...new Set(visible.map((entry) => entry.exchange))];
  const kept = ids.slice(0, exchanges);
  const whole = kept.length === ids.length;
  const end = stop < 0 || !whole ? undefined : path[stop];
  return {
    summary: end?.summary ?? null,
    messages: kept
      .map((id) => visible.filter((entry) => entry.exchange === id).map((entry) => entry.content))
      .map((messages) => messages.reverse())
      .reverse(),
  };
}

function bytesOf(content: EntryContent): number {
  return content.role === "clear" ? 0 : messageBytes(content);
}
