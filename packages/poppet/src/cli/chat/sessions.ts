/** `chat sessions`: saved sessions, newest activity first; a table on a terminal, JSON anywhere else. */
import type { Assistant } from "../../assistant.ts";
import { printJson } from "../print.ts";
import type { Program } from "../program.ts";
import type { ListedSession } from "../render/table.ts";

export interface SessionsFlags {
  readonly json: boolean;
  readonly limit: number;
  /** The last session of the page before. */
  readonly before?: string;
}

export async function chatSessions(this: Program, flags: SessionsFlags): Promise<void> {
  const { limit, before } = flags;
  const page = { limit, ...(before !== undefined && { before }) };
  const terminal = await this.terminal();
  const assistant = await this.openAssistant();
  let list: PeoplesList;
  try {
    if (flags.json || !terminal.stdout) {
      await printJson(this, JSON.stringify({ sessions: await assistant.sessions(page) }));
      return;
    }
    list = await listForPeople(assistant, page);
  } finally {
    await assistant.close();
  }
  const { sessionTable } = await import("../render/table.ts");
  const { printPaged } = await import("../page.ts");
  await printPaged(this, sessionTable(list.sessions, this.now(), terminal.columns()) + list.remark);
}

interface PeoplesList {
  readonly sessions: readonly ListedSession[];
  /** The last line: how to see more, or why there are none. */
  readonly remark: string;
}

async function listForPeople(
  assistant: Assistant,
  page: { readonly limit: number; readonly before?: string },
): Promise<PeoplesList> {
  // One more than is shown, to know whether there are more.
  const found = await assistant.sessions({ ...page, limit: page.limit + 1 });
  const shown = found.slice(0, page.limit);
  const shortIds = await assistant.shortIds(shown.map((session) => session.id));
  const sessions = shown.map((session, i) => ({ ...session, shortId: shortIds[i] ?? session.id }));
  const last = sessions.at(-1)?.shortId;
  if (last === undefined) return { sessions, remark: page.before === undefined ? noSessions : "No more sessions.\n" };
  return { sessions, remark: found.length > page.limit ? `more: poppet sessions --before ${last}\n` : "" };
}

const noSessions = 'No sessions yet. Start one with: poppet chat new "…"\n';
