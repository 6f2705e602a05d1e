/** What people see of a session: its messages in order, and its runs with their states, failures and tool calls. */
import { cutCodePoints } from "@poppet/chat";
import type { LatestRun, ShownMessage, ShownRun, ShownToolCall } from "../assistant.ts";
import { all, first, type Operation } from "./operation.ts";

/** Code points of a tool result. */
const resultLength = 200;

interface InputRow {
  readonly id: string;
  readonly text: string;
  readonly created_at: number;
  readonly attachments: string | null;
  readonly run: number;
}

interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly state: ShownRun["state"];
  readonly provider: string | null;
  readonly model: string | null;
  readonly usage: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly answer_id: string | null;
  readonly answer_body: string | null;
  readonly answer_at: number | null;
}

interface ToolCallRow {
  readonly run: number;
  readonly name: string;
  readonly state: ShownToolCall["state"];
  readonly result: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/** Messages in the order in which they were accepted, each answer after the messages that it answers. */
export function* showRuns(
  session: number,
): Operation<{ readonly messages: readonly ShownMessage[]; readonly runs: readonly ShownRun[] }> {
  const runs = yield* all<RunRow>(
    `select run.n, run.id, run.state, run.provider, run.model, run.usage, run.error_code,
       run.error_message, run.started_at, run.finished_at, entry.id as answer_id, entry.body as answer_body,
       entry.created_at as answer_at
     from run left join entry on entry.n = run.last where run.session = $1 order by run.n`,
    session,
  );
  const inputs = yield* all<InputRow>(
    "select id, text, created_at, attachments, run from input where session = $1 and delivery <> 'aside' order by n",
    session,
  );
  const calls = yield* all<ToolCallRow>(
    `select tool_call.run, tool_call.name, tool_call.state, tool_call.result, tool_call.error_code, tool_call.error_message
     from tool_call join run on run.n = tool_call.run where run.session = $1 order by tool_call.n`,
    session,
  );
  const inputsByRun = Map.groupBy(inputs, (input) => input.run);
  const callsByRun = Map.groupBy(calls, (call) => call.run);
  const messages: ShownMessage[] = [];
  const shown: ShownRun[] = [];
  for (const run of runs) {
    const output = run.answer_body === null ? null : (JSON.parse(run.answer_body) as { text: string }).text;
    for (const input of inputsByRun.get(run.n) ?? []) messages.push(userMessage(input, run.id));
    if (output !== null && run.answer_id !== null) {
      messages.push({
        id: run.answer_id,
        role: "assistant",
        text: output,
        createdAt: run.answer_at ?? 0,
        runId: run.id,
        attachments: [],
      });
    }
    shown.push(runData(run, output, callsByRun.get(run.n) ?? []));
  }
  return { messages, runs: shown };
}

/** The latest turn, running or not, with what it answers. */
export function* latestRun(session: number): Operation<LatestRun["run"]> {
  const run = yield* first<{
    readonly n: number;
    readonly error_code: string | null;
    readonly error_message: string | null;
    readonly answer: string | null;
  }>(
    `select run.n, run.error_code, run.error_message, entry.body as answer
     from run left join entry on entry.n = run.last
     where run.session = $1 and run.kind = 'turn' order by run.n desc limit 1`,
    session,
  );
  if (run === null) return null;
  const inputs = yield* all<{ readonly text: string }>("select text from input where run = $1 order by n", run.n);
  return {
    questions: inputs.map((input) => input.text),
    answer: run.answer === null ? null : (JSON.parse(run.answer) as { text: string }).text,
    error: errorData(run),
  };
}

export function* countCompactions(session: number): Operation<number> {
  const row = yield* first<{ count: number }>(
    "select count(*) as count from summary join entry on entry.n = summary.entry where entry.home = $1",
    session,
  );
  return row?.count ?? 0;
}

function userMessage(input: InputRow, runId: string): ShownMessage {
  const attachments = input.attachments === null ? [] : (JSON.parse(input.attachments) as { label: string }[]);
  return { id: input.id, role: "user", text: input.text, createdAt: input.created_at, runId, attachments };
}

function runData(run: RunRow, output: string | null, calls: readonly ToolCallRow[]): ShownRun {
  return {
    id: run.id,
    state: run.state,
    error: errorData(run),
    output,
    usage: run.usage === null ? null : JSON.parse(run.usage),
    provider: run.provider,
    model: run.model,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
    toolCalls: calls.map((call) => ({
      name: call.name,
      state: call.state,
      error: errorData(call),
      result: call.result === null ? null : cutCodePoints(call.result, resultLength),
    })),
  };
}

function errorData(row: { readonly error_code: string | null; readonly error_message: string | null }) {
  return row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" };
}
