/**
 * The one interface that every surface talks to. Types only: `local.ts` is the assistant in this process. Shapes are
 * those of `--json` output: camelCase keys, Unix milliseconds, opaque string IDs.
 */
import type { TurnEvent, Usage } from "@poppet/chat";

/** Where a session is named, its ID may be given by any beginning that no other ID has. */
export interface Assistant {
  /**
   * Saves the message, waits for its turn and runs it. Leaving the generator early, or `signal`, interrupts the run.
   * Throws PoppetError only where nothing was accepted, or nothing can be said of what was.
   */
  submit(submission: Submission, signal: AbortSignal): AsyncGenerator<RunEvent, RunOutcome>;
  /** Those that are not archived, newest activity first; after the session `before`. */
  sessions(page: { readonly limit: number; readonly before?: string }): Promise<readonly SessionSummary[]>;
  show(sessionId: string): Promise<ShownSession>;
  /** Where a session stands: its latest run, whatever came of it. Costs the same however long the session is. */
  latest(sessionId: string): Promise<LatestRun>;
  search(query: string): Promise<SearchResult>;
  rename(sessionId: string, title: string): Promise<Session>;
  /**
   * Asks the session's model for a title, after the session's first answer was shown; does nothing at any other time.
   * The title that was saved, or null where the one from before stays. Never rejects.
   */
  nameSession(sessionId: string, signal: AbortSignal): Promise<string | null>;
  /** The name that each can be given by: the shortest beginning, of 8 characters or more, that no other session's ID has. */
  shortIds(sessionIds: readonly string[]): Promise<readonly string[]>;
  /** Sessions whose ID begins so, the latest made first. */
  sessionsBeginning(beginning: string, limit: number): Promise<readonly Pick<Session, "id" | "title">[]>;
  close(): Promise<void>;
}

export interface Submission {
  readonly text: string;
  /** Where it was said: `cli`. */
  readonly channel: string;
  readonly target:
    | ({ readonly type: "new"; readonly workload: Workload } & Selection)
    | { readonly type: "session"; readonly sessionId: string };
}

/** What a new session is asked to have, by name; the assistant saves a copy of what the names stand for. */
export interface Selection {
  readonly skill: string | null;
  readonly project: string | null;
}

export type Workload = "general" | "coding";

export type RunEvent =
  | { readonly type: "accepted"; readonly sessionId: string; readonly runId: string; readonly messageId: string }
  /** Another run of the session is under way; this one is saved and starts after it. */
  | { readonly type: "waiting"; readonly sessionId: string }
  | { readonly type: "started"; readonly provider: string; readonly model: string }
  | TurnEvent;

export type RunOutcome =
  | { readonly state: "completed"; readonly text: string; readonly usage: Usage | null }
  | { readonly state: "failed" | "interrupted"; readonly error: RunError };

export interface RunError {
  readonly code: string;
  readonly message: string;
}

export interface Session {
  readonly id: string;
  readonly title: string | null;
  readonly titleSource: "prompt" | "model" | "user" | null;
  readonly namingAttempted: boolean;
  readonly titleUsage: Usage | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workload: Workload;
  readonly agent: string;
  readonly skill: SavedSkill | null;
  readonly project: SavedProject | null;
  readonly channel: string;
  readonly parent: { readonly sessionId: string; readonly messageId: string | null } | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type SessionSummary = Omit<Session, "skill" | "project"> & {
  readonly skill: Omit<SavedSkill, "text"> | null;
  readonly project: Omit<SavedProject, "instructions"> | null;
};

/** The copies that a session keeps, whatever becomes of the files that they were made from. */
export interface SavedSkill {
  readonly name: string;
  readonly text: string;
}

export interface SavedProject {
  readonly name: string;
  readonly instructions: string;
  /** Names and globs in the folder of notes; null where the project selects none, so that all are its notes. */
  readonly notes: readonly string[] | null;
}

export interface ShownSession {
  readonly session: Session & { readonly contextStart: string | null; readonly compactions: number };
  readonly messages: readonly ShownMessage[];
  readonly runs: readonly ShownRun[];
}

export interface LatestRun {
  readonly session: SessionSummary;
  /** Null where the session has none. */
  readonly run: {
    /** What was said, in order. */
    readonly questions: readonly string[];
    readonly answer: string | null;
    readonly error: RunError | null;
  } | null;
}

export interface ShownMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly createdAt: number;
  readonly runId: string | null;
  readonly attachments: readonly { readonly label: string }[];
  readonly inherited?: true;
  readonly superseded?: true;
}

export interface ShownRun {
  readonly id: string;
  readonly state: "queued" | "running" | "completed" | "failed" | "interrupted";
  readonly error: RunError | null;
  readonly output: string | null;
  readonly usage: Usage | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly toolCalls: readonly ShownToolCall[];
}

export interface ShownToolCall {
  readonly name: string;
  readonly state: "running" | "completed" | "failed" | "rejected" | "unknown";
  readonly error: RunError | null;
  readonly result: string | null;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  readonly truncated: boolean;
}

export interface SearchMatch {
  readonly sessionId: string;
  readonly messageId: string;
  readonly title: string | null;
  readonly createdAt: number;
  readonly role: "user" | "assistant";
  readonly excerpt: string;
}
