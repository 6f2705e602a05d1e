/** Operations on sessions: making, finding, listing, naming. */
import { cutCodePoints } from "@poppet/chat";
import type { SavedProject, SavedSkill, Session, SessionSummary, Workload } from "../assistant.ts";
import { PoppetError } from "../error.ts";
import { all, change, first, type Operation } from "./operation.ts";
import { type NamedSession, sessionsBeginning, shortId } from "./session-ids.ts";

export interface SessionRow {
  readonly n: number;
  readonly id: string;
  readonly agent: string;
  readonly channel: string;
  readonly parent: number | null;
  readonly base: number | null;
  readonly tip: number | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workload: Workload;
  readonly skill: string | null;
  readonly project_copy: string | null;
  readonly title: string | null;
  readonly title_source: Session["titleSource"];
  readonly naming_attempted: number;
  readonly title_usage: string | null;
  readonly archived: number;
  readonly created_at: number;
  readonly active_at: number;
}

const columns = `n, id, agent, channel, parent, base, tip, provider, model, workload, skill, project_copy, title, title_source,
  naming_attempted, title_usage, archived, created_at, active_at`;

export interface NewSession {
  readonly id: string;
  readonly agent: string;
  readonly channel: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workload: Workload;
  readonly skill: SavedSkill | null;
  readonly project: SavedProject | null;
  readonly title: string | null;
  readonly now: number;
}

export function* insertSession(session: NewSession): Operation<SessionRow> {
  yield* change(
    `insert into session (id, kind, agent, channel, provider, model, workload, skill, project, project_copy, title,
       title_source, created_at, active_at)
     values ($1, 'chat', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    session.id,
    session.agent,
    session.channel,
    session.provider,
    session.model,
    session.workload,
    session.skill && JSON.stringify(session.skill),
    session.project?.name ?? null,
    session.project && JSON.stringify(session.project),
    session.title,
    session.title === null ? null : "prompt",
    session.now,
    session.now,
  );
  return yield* findSession(session.id);
}

/**
 * The session of an ID, or of a beginning that no other ID has. PoppetError `session_ambiguous` names some that share it,
 * `session_unknown` the nearest ID among the latest sessions where one is close.
 */
export function* findSession(given: string): Operation<SessionRow> {
  const row = yield* first<SessionRow>(`select ${columns} from session where id = $1`, given);
  if (row) return row;
  const begun = yield* sessionsBeginning(given, shownCandidates + 1);
  const [only] = begun;
  if (only === undefined) throw yield* unknownSession(given);
  if (begun.length > 1) throw yield* ambiguousSession(given, begun);
  return yield* findSession(only.id);
}

/** How many sessions are named where a beginning has several. */
const shownCandidates = 3;

function* ambiguousSession(given: string, begun: readonly NamedSession[]): Operation<PoppetError> {
  const named: string[] = [];
  for (const { id, title } of begun.slice(0, shownCandidates)) {
    named.push(`${yield* shortId(id)} (${cutCodePoints(title ?? "unnamed", 40)})`);
  }
  const more = begun.length > shownCandidates ? " and more" : "";
  return new PoppetError(
    "session_ambiguous",
    `Several IDs begin with ${JSON.stringify(cutCodePoints(given, 80))}: ${named.join(", ")}${more}. Give more of the ID.`,
    { exitCode: 2 },
  );
}

function* unknownSession(given: string): Operation<PoppetError> {
  const recent = yield* all<{ id: string }>(
    "select id from session where archived = 0 order by active_at desc, n desc limit 200",
  );
  const near = recent.find(({ id }) => id.length === given.length && differences(id, given) <= 2)?.id;
  return new PoppetError(
    "session_unknown",
    `No session ${JSON.stringify(cutCodePoints(given, 80))}${near ? `; did you mean ${near}?` : "; `poppet chat sessions` lists them."}`,
  );
}

function differences(a: string, b: string): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count++;
  return count;
}

/** Newest activity first; `before` is the last session of the page before. */
export function* listSessions(limit: number, before: string | undefined): Operation<readonly SessionRow[]> {
  if (before === undefined) {
    return yield* all<SessionRow>(
      `select ${columns} from session where archived = 0 order by active_at desc, n desc limit $1`,
      limit,
    );
  }
  const from = yield* findSession(before);
  return yield* all<SessionRow>(
    `select ${columns} from session where archived = 0 and (active_at, n) < ($1, $2) order by active_at desc, n desc limit $3`,
    from.active_at,
    from.n,
    limit,
  );
}

/** The person's title; changes neither activity nor order. */
export function* renameSession(id: string, title: string): Operation<SessionRow> {
  const session = yield* findSession(id);
  yield* change("update session set title = $1, title_source = 'user' where n = $2", title, session.n);
  return yield* findSession(session.id);
}

export function* sessionData(row: SessionRow): Operation<Session> {
  return {
    id: row.id,
    title: row.title,
    titleSource: row.title_source,
    namingAttempted: row.naming_attempted === 1,
    titleUsage: parsed(row.title_usage),
    provider: row.provider,
    model: row.model,
    workload: row.workload,
    agent: row.agent,
    skill: parsed(row.skill),
    project: parsed(row.project_copy),
    channel: row.channel,
    parent: row.parent === null ? null : yield* parentOf(row.parent, row.base),
    archived: row.archived === 1,
    createdAt: row.created_at,
    updatedAt: row.active_at,
  };
}

export function* sessionSummary(row: SessionRow): Operation<SessionSummary> {
  const { skill, project, ...rest } = yield* sessionData(row);
  return {
    ...rest,
    skill: skill && { name: skill.name },
    project: project && { name: project.name, notes: project.notes },
  };
}

function* parentOf(n: number, base: number | null): Operation<Session["parent"]> {
  const session = yield* first<{ id: string }>("select id from session where n = $1", n);
  const entry = base === null ? null : yield* first<{ id: string }>("select id from entry where n = $1", base);
  return session && { sessionId: session.id, messageId: entry?.id ?? null };
}

/** A column of JSON. */
export function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}
