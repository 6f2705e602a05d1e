/**
 * The life of a run: queued, running, and one of completed, failed, interrupted. A run is changed only by its owner, or
 * by whoever finds its owner dead; every ending names the state and owner that it ends, so a run that was taken away
 * saves nothing.
 */
import type { Message, Usage } from "@poppet/chat";
import type { SavedProject, SavedSkill, Workload } from "../assistant.ts";
import type { PoppetErrorCode } from "../error.ts";
import { insertEntries } from "./entries.ts";
import { all, change, first, type Operation } from "./operation.ts";
import { parsed, type SessionRow } from "./sessions.ts";

export type StartResult =
  | {
      readonly type: "started";
      readonly tip: string | null;
      readonly provider: string | null;
      readonly model: string | null;
      readonly workload: Workload;
      readonly skill: SavedSkill | null;
      readonly project: SavedProject | null;
    }
  /** Another run of the session goes first. */
  | { readonly type: "waiting" }
  /** Somebody ended it while it waited. */
  | { readonly type: "ended"; readonly code: string; readonly message: string };

interface StartedRow extends Pick<SessionRow, "skill" | "project_copy"> {
  readonly tip: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workload: Workload;
}

interface RunRow {
  readonly n: number;
  readonly session: number;
  readonly state: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/** Whether the run would start now; changes nothing. */
export function* mayStart(runId: string): Operation<StartResult | { readonly type: "free" }> {
  const run = yield* first<RunRow>("select n, session, state, error_code, error_message from run where id = $1", runId);
  if (run?.state !== "queued") {
    return {
      type: "ended",
      code: run?.error_code ?? ("run_lost" satisfies PoppetErrorCode),
      message: run?.error_message ?? "The run was removed before it started.",
    };
  }
  const ahead = yield* first(
    `select 1 from run
     where session = $1 and kind = 'turn' and (state = 'running' or (state = 'queued' and n < $2)) limit 1`,
    run.session,
    run.n,
  );
  return { type: ahead === null ? "free" : "waiting" };
}

/**
 * Starts a queued run if it is its turn, on the session's provider and model. A session from before any was configured
 * takes the one that is configured now.
 */
export function* startRun(
  runId: string,
  owner: string,
  configured: { readonly provider: string | null; readonly model: string | null },
  now: number,
): Operation<StartResult> {
  const may = yield* mayStart(runId);
  if (may.type !== "free") return may;
  if (configured.provider !== null && configured.model !== null) {
    yield* change(
      `update session set provider = $1, model = $2
       where provider is null and n = (select session from run where id = $3)`,
      configured.provider,
      configured.model,
      runId,
    );
  }
  yield* change(
    `update run set state = 'running', owner = $1, started_at = $2, parent = session.tip, provider = session.provider,
       model = session.model
     from session where session.n = run.session and run.id = $3`,
    owner,
    now,
    runId,
  );
  yield* change("update input set state = 'taken' where run = (select n from run where id = $1)", runId);
  const started = yield* first<StartedRow>(
    `select run.provider, run.model, session.workload, session.skill, session.project_copy, entry.id as tip
     from run join session on session.n = run.session left join entry on entry.n = run.parent where run.id = $1`,
    runId,
  );
  if (!started) throw new Error(`run ${runId} is gone in the transaction that starts it`);
  const { skill, project_copy, ...rest } = started;
  return { type: "started", ...rest, skill: parsed(skill), project: parsed(project_copy) };
}

export interface Completion {
  readonly runId: string;
  readonly owner: string;
  readonly messages: readonly Message[];
  /** One a message; the first is the input's own. */
  readonly ids: readonly string[];
  readonly usage: Usage | null;
  readonly now: number;
}

/** Saves the whole exchange and moves the session's tip; false, and nothing saved, if the run is no longer the owner's. */
export function* completeRun(completion: Completion): Operation<boolean> {
  const { runId, owner, now } = completion;
  const run = yield* first<{ n: number; session: number; parent: number | null }>(
    `select run.n, run.session, run.parent from run join session on session.n = run.session
     where run.id = $1 and run.state = 'running' and run.owner = $2 and run.parent is session.tip`,
    runId,
    owner,
  );
  if (!run) return false;
  const answer = completion.messages.findLastIndex((message) => message.role === "assistant");
  const written = yield* insertEntries(
    completion.messages.map((content, i) => ({
      id: completion.ids[i] ?? "",
      content,
      readable: content.role === "user" || i === answer,
    })),
    { home: run.session, parent: run.parent, run: run.n, exchange: runId, now },
  );
  yield* change(
    `update run set state = 'completed', owner = null, first = $1, last = $2, usage = $3, finished_at = $4 where n = $5`,
    written.first,
    written.last,
    completion.usage && JSON.stringify(completion.usage),
    now,
    run.n,
  );
  yield* change(
    "update session set tip = $1, active_at = max(active_at, $2) where n = $3",
    written.last,
    now,
    run.session,
  );
  return true;
}

export interface Ending {
  readonly runId: string;
  readonly owner: string;
  readonly state: "failed" | "interrupted";
  readonly error: { readonly code: string; readonly message: string };
  readonly usage: Usage | null;
  readonly now: number;
}

/** Ends a run of this owner that is queued or running; false if it is not the owner's any more. */
export function* endRun(ending: Ending): Operation<boolean> {
  const run = yield* first<{ n: number }>(
    `select run.n from run left join input on input.run = run.n
     where run.id = $1 and (run.owner = $2 or (run.state = 'queued' and input.waiter = $3))`,
    ending.runId,
    ending.owner,
    ending.owner,
  );
  if (!run) return false;
  yield* close(run.n, ending.state, ending.error, ending.usage, ending.now);
  return true;
}

/** Owners of unfinished runs, alive or not. */
export function* ownersAtWork(): Operation<readonly string[]> {
  const rows = yield* all<{ owner: string }>(
    `select owner from run where state = 'running' and owner is not null
     union select waiter from input where state = 'waiting' and waiter is not null`,
  );
  return rows.map((row) => row.owner);
}

/** The runs that a dead process had running or waiting become interrupted; how many there were. */
export function* reapOwner(owner: string, now: number): Operation<number> {
  const runs = yield* all<{ n: number }>(
    `select n from run where owner = $1 and state = 'running'
     union select run.n from run join input on input.run = run.n
       where input.waiter = $2 and input.state = 'waiting' and run.state = 'queued'`,
    owner,
    owner,
  );
  for (const run of runs) yield* close(run.n, "interrupted", ownerDied, null, now);
  return runs.length;
}

const ownerDied = {
  code: "owner_died" satisfies PoppetErrorCode,
  message: "The process that ran this ended before it was finished. Send the message again.",
};

function* close(
  run: number,
  state: "failed" | "interrupted",
  error: { readonly code: string; readonly message: string },
  usage: Usage | null,
  now: number,
): Operation<void> {
  yield* change(
    `update run set state = $1, owner = null, error_code = $2, error_message = $3, usage = $4, finished_at = $5 where n = $6`,
    state,
    error.code,
    error.message,
    usage && JSON.stringify(usage),
    now,
    run,
  );
  yield* change("update input set state = 'withdrawn' where run = $1 and state = 'waiting'", run);
  yield* change(
    "update tool_call set state = 'unknown', finished_at = $1 where run = $2 and state = 'running'",
    now,
    run,
  );
}
