/**
 * The life of inputs and runs on the store's operations, against a plain model: several owners over two connections,
 * in any order, with dead owners reaped and the tip moved in between.
 */
import { afterAll, expect, test } from "bun:test";
import type { AssistantMessage, Message } from "@poppet/chat";
import fc from "fast-check";
import type { ShownRun } from "../src/assistant.ts";
import { acceptInput } from "../src/store/inputs.ts";
import { all } from "../src/store/operation.ts";
import { completeRun, endRun, mayStart, ownersAtWork, reapOwner, startRun } from "../src/store/runs.ts";
import { findSession, insertSession } from "../src/store/sessions.ts";
import { showRuns } from "../src/store/show.ts";
import { openStore, type Store } from "../src/store/sqlite.ts";
import { endToolCall, startToolCall } from "../src/store/tool-calls.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { temporaryFolder } from "./assistant.ts";

const folder = temporaryFolder();
const stores = [await openStore(`${folder.path}/poppet.db`), await openStore(`${folder.path}/poppet.db`)] as const;
afterAll(() => {
  for (const store of stores) store.close();
  folder[Symbol.dispose]();
});

const newId = () => Bun.randomUUIDv7();
const owners = 3;
const sessions = 2;

type Step =
  | { readonly type: "accept"; readonly owner: number; readonly session: number }
  | {
      readonly type: "start" | "complete" | "failed" | "interrupted" | "tool";
      readonly run: number;
      readonly owner: number;
    }
  /** The owner is dead: another process ends what it had. A new one takes its number. */
  | { readonly type: "reap"; readonly owner: number }
  /** Somebody else changes the conversation. */
  | { readonly type: "move"; readonly session: number; readonly back: boolean };

const owner = fc.nat(owners - 1);
const session = fc.nat(sessions - 1);
/** -1: the first run that is not at its end. */
const run = fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, fc.nat(20));
/** -1: the one whose run it is. */
const anyone = fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, owner);
const ways = ["start", "start", "start", "complete", "complete", "tool", "failed", "interrupted"] as const;
const life = fc.constantFrom(...ways);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("accept" as const), owner, session }) },
  { weight: 10, arbitrary: fc.record({ type: life, run, owner: anyone }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reap" as const), owner }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("move" as const), session, back: fc.boolean() }) },
);
const steps = fc.array(fc.tuple(step, fc.nat(1), fc.nat(1000)), { minLength: 10, maxLength: 40, size: "max" });

interface ModelRun {
  readonly id: string;
  readonly text: string;
  readonly session: number;
  readonly waiter: string;
  state: ShownRun["state"];
  owner: string | null;
  input: "waiting" | "taken" | "withdrawn";
  parent: string | null;
  answer: string | null;
  code: string | null;
  openTool: boolean;
  tool: "none" | "completed" | "unknown";
}

class Life {
  readonly runs: ModelRun[] = [];
  readonly tips: (string | null)[] = [];
  readonly sessionIds: string[] = [];
  readonly owners = Array.from({ length: owners }, newId);
  readonly started: ModelRun[] = [];
  ends = 0;

  ahead(one: ModelRun): readonly ModelRun[] {
    const at = this.runs.indexOf(one);
    return this.runs.filter(
      (other, i) =>
        other.session === one.session && (other.state === "running" || (other.state === "queued" && i < at)),
    );
  }

  close(one: ModelRun, state: "failed" | "interrupted", code: string): void {
    Object.assign(one, { state, owner: null, code, tool: one.openTool ? "unknown" : one.tool, openTool: false });
    if (one.input === "waiting") one.input = "withdrawn";
    this.ends++;
  }
}

const answer = (text: string): AssistantMessage => ({
  ...{ role: "assistant", text, reasoning: "", toolCalls: [], provider: "p", model: "m" },
  ...{ continuation: null, measured: null },
});

async function play(life: Life, store: Store, step: Step, now: number): Promise<void> {
  if (step.type === "accept") return accept(life, store, step, now);
  if (step.type === "reap") return reap(life, store, step.owner, now);
  if (step.type === "move") return move(life, store, step);
  const unfinished = life.runs.find((run) => run.state === "queued" || run.state === "running");
  const one = step.run < 0 ? unfinished : life.runs[step.run % Math.max(1, life.runs.length)];
  if (!one) return;
  const by = step.owner < 0 ? (one.owner ?? one.waiter) : (life.owners[step.owner] ?? "");
  if (step.type === "start") await start(life, store, one, now);
  else if (step.type === "complete") await complete(life, store, one, by, now);
  else if (step.type === "tool") await callTool(store, one, now);
  else await end(life, store, one, step.type, by, now);
}

async function accept(life: Life, store: Store, step: { owner: number; session: number }, now: number): Promise<void> {
  const waiter = life.owners[step.owner] ?? "";
  const text = `message ${life.runs.length}`;
  const target = { type: "session", id: life.sessionIds[step.session] ?? "" } as const;
  const accepted = await store.write("accept", () =>
    acceptInput({ inputId: newId(), runId: newId(), text, authority: "{}", waiter, now, target }),
  );
  life.runs.push({
    ...{ id: accepted.runId, text, session: step.session, waiter, state: "queued", owner: null, input: "waiting" },
    ...{ parent: null, answer: null, code: null, openTool: false, tool: "none" },
  });
}

async function start(life: Life, store: Store, one: ModelRun, now: number): Promise<void> {
  const configured = { provider: "openai", model: "m" };
  const ahead = life.ahead(one);
  const expected = one.state !== "queued" ? "ended" : ahead.length > 0 ? "waiting" : "started";
  const may = await store.read(() => mayStart(one.id));
  expect(may.type).toBe(expected === "started" ? "free" : expected);
  const result = await store.write("start", () => startRun(one.id, one.waiter, configured, now));
  expect(result.type).toBe(expected);
  if (result.type !== "started") return;
  expect(result.tip).toBe(life.tips[one.session] ?? null);
  Object.assign(one, { state: "running", owner: one.waiter, input: "taken", parent: result.tip });
  life.started.push(one);
}

async function complete(life: Life, store: Store, one: ModelRun, by: string, now: number): Promise<void> {
  const text = `answer to ${one.text}`;
  const messages: Message[] = [{ role: "user", text: one.text }, answer("looking"), answer(text)];
  const ids = messages.map(newId);
  const expected = one.state === "running" && one.owner === by && one.parent === (life.tips[one.session] ?? null);
  const saved = await store.write("finish", () =>
    completeRun({ runId: one.id, owner: by, messages, ids, usage: null, now }),
  );
  expect(saved).toBe(expected);
  if (!saved) return;
  Object.assign(one, { state: "completed", owner: null, answer: text });
  life.tips[one.session] = ids[2] ?? null;
  life.ends++;
}

type Ending = "failed" | "interrupted";
async function end(life: Life, store: Store, one: ModelRun, state: Ending, by: string, now: number): Promise<void> {
  const mine = (one.state === "running" && one.owner === by) || (one.state === "queued" && one.waiter === by);
  const error = { code: "aborted", message: "" };
  const ended = await store.write("finish", () => endRun({ runId: one.id, owner: by, state, error, usage: null, now }));
  expect(ended).toBe(mine);
  if (ended) life.close(one, state, "aborted");
}

async function callTool(store: Store, one: ModelRun, now: number): Promise<void> {
  if (one.state !== "running" || one.tool !== "none") return;
  const place = { runId: one.id, step: 1, callId: "a" };
  const call = { name: "t", arguments: "{}" };
  if (!one.openTool) await store.write("tool", () => startToolCall(place, call, now));
  else {
    const outcome = { ...call, state: "completed" as const, result: "1", error: null };
    await store.write("tool", () => endToolCall(place, outcome, now));
    one.tool = "completed";
  }
  one.openTool = !one.openTool;
}

async function reap(life: Life, store: Store, number: number, now: number): Promise<void> {
  const dead = life.owners[number] ?? "";
  const had = life.runs.filter((one) => one.owner === dead || (one.state === "queued" && one.waiter === dead));
  expect(await store.write("reap", () => reapOwner(dead, now))).toBe(had.length);
  for (const one of had) life.close(one, "interrupted", "owner_died");
  life.owners[number] = newId();
}

/** A clear, or a step back as a rewind makes. */
async function move(life: Life, store: Store, step: { session: number; back: boolean }): Promise<void> {
  const transcript = storedTranscript(store, life.sessionIds[step.session] ?? "", { newId, now: () => 1 });
  const expected = await transcript.tip();
  const parent = step.back ? null : expected;
  const content = step.back ? [] : [{ role: "clear" as const }];
  life.tips[step.session] = await transcript.commit({ expected, parent, exchange: newId(), content });
}

async function check(life: Life, store: Store): Promise<void> {
  for (const [number, id] of life.sessionIds.entries()) {
    const { row, shown, inputs } = await store.read(function* () {
      const row = yield* findSession(id);
      const inputs = yield* all<{ state: string }>("select state from input where session = $1 order by n", row.n);
      return { row, shown: yield* showRuns(row.n), inputs: inputs.map((input) => input.state) };
    });
    const mine = life.runs.filter((one) => one.session === number);
    expect(shown.runs.map((one) => [one.id, one.state, one.error?.code ?? null, one.output])).toEqual(
      mine.map((one) => [one.id, one.state, one.code, one.answer]),
    );
    expect(shown.runs.map((one) => one.toolCalls.map((call) => call.state))).toEqual(
      mine.map((one) => (one.openTool ? ["running"] : one.tool === "none" ? [] : [one.tool])),
    );
    expect(shown.messages.map((message) => message.text)).toEqual(
      mine.flatMap((one) => (one.answer === null ? [one.text] : [one.text, one.answer])),
    );
    expect(inputs).toEqual(mine.map((one) => one.input));
    expect(mine.filter((one) => one.state === "running").length).toBeLessThanOrEqual(1);
    const tip = life.tips[number] ?? null;
    expect(await storedTranscript(store, id, { newId, now: () => 1 }).tip()).toBe(tip);
    expect(row.active_at).toBeGreaterThanOrEqual(row.created_at);
    // First come, first served: what was started, was started in the order of acceptance.
    const order = life.started.filter((one) => one.session === number).map((one) => mine.indexOf(one));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }
  const atWork = life.runs.flatMap(
    (one) => (one.state === "running" ? one.owner : one.state === "queued" ? one.waiter : null) ?? [],
  );
  const known = await store.read(ownersAtWork);
  expect(known.filter((id) => life.owners.includes(id)).sort()).toEqual([...new Set(atWork)].sort());
}

test("C11 §8.3 §8.5 the life of inputs and runs: one running turn, in order, nothing lost, only by its owner", async () => {
  let started = 0;
  let ended = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const life = new Life();
      for (let i = 0; i < sessions; i++) {
        const facts = { agent: "main", channel: "cli", provider: null, model: null, workload: "general" as const };
        const id = newId();
        await stores[0].write("test", () =>
          insertSession({ ...facts, id, title: null, skill: null, project: null, now: 1 }),
        );
        life.sessionIds.push(id);
        life.tips.push(null);
      }
      for (const [step, connection, now] of list) {
        const store = stores[connection] ?? stores[0];
        await play(life, store, step, now);
        await check(life, store);
      }
      started += life.started.length;
      ended += life.ends;
      for (const owner of life.owners.keys()) await reap(life, stores[1], owner, 1);
      await check(life, stores[0]);
      expect(life.runs.every((one) => one.state !== "queued" && one.state !== "running")).toBe(true);
    }),
    { numRuns: 80 },
  );
  expect(started).toBeGreaterThan(100);
  expect(ended).toBeGreaterThan(100);
});
