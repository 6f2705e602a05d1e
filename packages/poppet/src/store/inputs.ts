/** Accepting what a person says: the input, its queued run and, where it is the first, its session, all at once. */
import { change, first, type Operation } from "./operation.ts";
import { findSession, insertSession, type NewSession, type SessionRow } from "./sessions.ts";

export interface AcceptedInput {
  readonly session: SessionRow;
  readonly inputId: string;
  readonly runId: string;
}

export interface InputToAccept {
  readonly inputId: string;
  readonly runId: string;
  readonly text: string;
  /** JSON: who asked, by which way. */
  readonly authority: string;
  /** The owner that waits for its turn and will run it; if it dies first, the run becomes interrupted. */
  readonly waiter: string;
  readonly now: number;
  readonly target:
    | { readonly type: "new"; readonly session: NewSession }
    | { readonly type: "session"; readonly id: string };
}

export function* acceptInput(input: InputToAccept): Operation<AcceptedInput> {
  const { target, now } = input;
  const session = target.type === "new" ? yield* insertSession(target.session) : yield* findSession(target.id);
  yield* change(
    "insert into run (id, session, kind, state, created_at) values ($1, $2, 'turn', 'queued', $3)",
    input.runId,
    session.n,
    now,
  );
  const run = yield* first<{ n: number }>("select n from run where id = $1", input.runId);
  yield* change(
    `insert into input (id, session, delivery, origin, state, text, authority, waiter, run, created_at)
     values ($1, $2, 'message', 'typed', 'waiting', $3, $4, $5, $6, $7)`,
    input.inputId,
    session.n,
    input.text,
    input.authority,
    input.waiter,
    run?.n ?? null,
    now,
  );
  yield* change("update session set active_at = max(active_at, $1) where n = $2", now, session.n);
  return { session, inputId: input.inputId, runId: input.runId };
}
