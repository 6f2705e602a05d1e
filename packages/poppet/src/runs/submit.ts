/**
 * A message from acceptance to its end (C11). It is saved before anything else happens; from then on the run ends as
 * completed, failed or interrupted, and only a completed one adds to the conversation. Nothing is retried.
 */
import { ChatError, type Clock, messageOf } from "@poppet/chat";
import type { RunEvent, RunOutcome, Submission } from "../assistant.ts";
import { PoppetError, type PoppetErrorCode } from "../error.ts";
import { checkMessage } from "../message.ts";
import { titleOf } from "../sessions/title.ts";
import type { Settings } from "../settings.ts";
import { type AcceptedInput, acceptInput } from "../store/inputs.ts";
import type { Owner } from "../store/owners.ts";
import { mayStart, type StartResult, startRun } from "../store/runs.ts";
import type { SearchIndex } from "../store/search-index.ts";
import type { Store } from "../store/sqlite.ts";
import type { Ended, Endings } from "./endings.ts";
import type { Copies } from "./instructions.ts";
import { reapDead } from "./reap.ts";
import type { ModelSource } from "./run-turn.ts";

export interface RunServices {
  readonly store: Store;
  readonly index: SearchIndex;
  readonly home: string;
  /** Where skills and projects are. */
  readonly settingsFolder: string;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly models: ModelSource;
  readonly endings: Endings;
  /** This process's owner; made when first asked for. */
  readonly owner: () => Promise<Owner>;
}

type Started = Extract<StartResult, { type: "started" }>;

/** Milliseconds between looks at whether a waiting run may start: at first, and when it has waited for long. */
const firstWaitMs = 50;
const longestWaitMs = 250;

export async function* submit(
  services: RunServices,
  submission: Submission,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, RunOutcome> {
  refuseUnusable(submission, services.settings);
  const copies = await copiesFor(services, submission.target);
  const owner = await services.owner();
  signal.throwIfAborted();
  await services.endings.settle();
  const accepted = await accept(services, submission, copies, owner, signal);
  const { runId, inputId } = accepted;
  let outcome: RunOutcome | null = null;
  try {
    yield { type: "accepted", sessionId: accepted.session.id, runId, messageId: inputId };
    refuseUnsuited(accepted.session, services.settings);
    const started = yield* whenItsTurn(services, accepted, owner, signal);
    if ("state" in started) {
      outcome = started;
      return started;
    }
    const { provider, model } = started;
    if (provider !== null && model !== null) yield { type: "started", provider, model };
    const run = { ...accepted, text: submission.text, owner, started };
    const { openTurn, recordTool, saveTurn } = await import("./run-turn.ts");
    const turn = await openTurn(services, run, signal);
    try {
      // By hand, because a delta through another generator's `yield*` costs more than all that is done with it here.
      for (;;) {
        const next = await turn.events.next();
        if (next.done) {
          outcome = await saveTurn(services, run, next.value);
          return outcome;
        }
        if (next.value.type === "tool-start" || next.value.type === "tool-end") {
          await recordTool(services, runId, next.value);
        }
        yield next.value;
      }
    } finally {
      await turn.close();
    }
  } catch (thrown) {
    const ended = signal.aborted ? interruption(signal.reason) : failure(thrown);
    outcome = ended;
    return await end(services, runId, owner, ended);
  } finally {
    // Without an outcome the reader has left, and what was under way is over.
    if (outcome === null) await end(services, runId, owner, interruption(signal.reason));
  }
}

function refuseUnusable(submission: Submission, settings: Settings): void {
  const { text, target } = submission;
  checkMessage(text);
  if (target.type === "new" && target.workload === "general" && settings.provider === "opencode-go") {
    throw new PoppetError(
      "workload_refused",
      "opencode-go is for coding only: use `poppet chat new --coding MESSAGE`.",
      {
        exitCode: 2,
      },
    );
  }
}

/** A session from before a provider was chosen takes the chosen one, unless that is not for its kind of work. */
function refuseUnsuited(session: AcceptedInput["session"], settings: Settings): void {
  if (session.provider !== null || session.workload === "coding" || settings.provider !== "opencode-go") return;
  throw new PoppetError(
    "workload_refused",
    "opencode-go is for coding only, and this session is not: choose another provider with `poppet setup`, or use `poppet chat new --coding MESSAGE`.",
  );
}

/** What a new session gets of the skill and the project that it names. Throws before anything is saved. */
async function copiesFor(services: RunServices, target: Submission["target"]): Promise<Copies> {
  if (target.type === "session" || (target.skill === null && target.project === null)) {
    return { skill: null, project: null };
  }
  const { copySelection } = await import("./selection.ts");
  return copySelection(services, target);
}

function accept(
  services: RunServices,
  submission: Submission,
  copies: Copies,
  owner: Owner,
  signal: AbortSignal,
): Promise<AcceptedInput> {
  const { store, settings, clock, newId } = services;
  const now = clock.now();
  const text = submission.text.toWellFormed();
  const configured = settings.provider !== null && settings.model !== null;
  const { channel } = submission;
  const target =
    submission.target.type === "session"
      ? { type: "session" as const, id: submission.target.sessionId }
      : {
          type: "new" as const,
          session: {
            id: newId(),
            agent: "main",
            channel,
            provider: configured ? settings.provider : null,
            model: configured ? settings.model : null,
            workload: submission.target.workload,
            ...copies,
            title: titleOf(text),
            now,
          },
        };
  const ids = { inputId: newId(), runId: newId() };
  const authority = JSON.stringify({ actor: "person", kind: "direct", channel });
  return store.write("accept", () => acceptInput({ ...ids, text, authority, waiter: owner.id, now, target }), signal);
}

/** Waits until no earlier run of the session is left, then starts this one. */
async function* whenItsTurn(
  services: RunServices,
  accepted: AcceptedInput,
  owner: Owner,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Started | RunOutcome> {
  const { store, settings, clock, home, endings } = services;
  let told = false;
  let waitMs = firstWaitMs;
  for (;;) {
    signal.throwIfAborted();
    const may = told ? await store.read(() => mayStart(accepted.runId)) : { type: "free" as const };
    const start =
      may.type === "free"
        ? await store.write("start", () => startRun(accepted.runId, owner.id, settings, clock.now()), signal)
        : may;
    if (start.type === "started") return start;
    if (start.type === "ended") {
      return { state: "interrupted", error: { code: start.code, message: start.message } };
    }
    if ((await endings.settle()) || (await reapDead(store, home, owner.id, clock.now()))) continue;
    if (!told) yield { type: "waiting", sessionId: accepted.session.id };
    told = true;
    await pause(clock, waitMs, signal);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
  });
}

/** Records how a run ended without completing. */
function end({ endings, clock }: RunServices, runId: string, owner: Owner, ended: Ended): Promise<Ended> {
  return endings.write({ runId, owner: owner.id, ...ended, usage: null, now: clock.now() });
}

function interruption(reason: unknown): Ended {
  const known = ChatError.isInstance(reason);
  return {
    state: "interrupted",
    error: { code: known ? reason.code : "aborted", message: known ? reason.message : "The run was stopped." },
  };
}

function failure(thrown: unknown): Ended {
  const known = ChatError.isInstance(thrown) || PoppetError.isInstance(thrown);
  return {
    state: "failed",
    error: { code: known ? thrown.code : ("run_failed" satisfies PoppetErrorCode), message: messageOf(thrown) },
  };
}
