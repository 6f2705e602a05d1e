/**
 * The title that a session's model gives it (C9). It is asked for once: that it was is saved before the request. A title
 * that a person gave, at whatever moment, is never written over. Nothing here is activity.
 */
import type { Usage } from "@poppet/chat";
import type { Workload } from "../assistant.ts";
import { all, change, first, type Operation } from "./operation.ts";

export interface UnnamedSession {
  readonly provider: string;
  readonly model: string;
  readonly workload: Workload;
  /** The beginning of what was said first. */
  readonly prompt: string;
}

/**
 * Who to ask for a title; null unless the session has its first answer and no more, its title is still the prompt's, and
 * nobody was asked before. A fork keeps the title that it was made with.
 */
export function* unnamedSession(id: string): Operation<UnnamedSession | null> {
  const session = yield* first<Omit<UnnamedSession, "prompt"> & { readonly n: number }>(
    `select n, provider, model, workload from session
     where id = $1 and title_source = 'prompt' and naming_attempted = 0 and parent is null
       and provider is not null and model is not null`,
    id,
  );
  if (!session) return null;
  const { n, ...asked } = session;
  const answers = yield* all(
    "select 1 from run where session = $1 and kind = 'turn' and state = 'completed' limit 2",
    n,
  );
  if (answers.length !== 1) return null;
  const input = yield* first<{ beginning: string }>(
    "select substr(ltrim(text, char(9, 10, 13, 32)), 1, 2000) as beginning from input where session = $1 order by n limit 1",
    n,
  );
  return input && { ...asked, prompt: input.beginning };
}

/** Takes the one attempt; null where there is none to take. */
export function* attemptNaming(id: string): Operation<UnnamedSession | null> {
  const session = yield* unnamedSession(id);
  if (session) yield* change("update session set naming_attempted = 1 where id = $1", id);
  return session;
}

/** What the attempt brought and cost; whether the title was written. */
export function* saveNaming(
  id: string,
  { title, usage }: { readonly title: string | null; readonly usage: Usage | null },
): Operation<boolean> {
  if (usage !== null) yield* change("update session set title_usage = $1 where id = $2", JSON.stringify(usage), id);
  if (title === null) return false;
  const changes = yield* change(
    "update session set title = $1, title_source = 'model' where id = $2 and title_source = 'prompt'",
    title,
    id,
  );
  return changes > 0;
}
