/** The record of a run's tool calls, made before a tool starts and ended with its outcome. */
import { change, type Operation } from "./operation.ts";

export interface ToolCallPlace {
  readonly runId: string;
  readonly step: number;
  readonly callId: string;
}

export function* startToolCall(
  place: ToolCallPlace,
  call: { readonly name: string; readonly arguments: string },
  now: number,
): Operation<void> {
  yield* change(
    `insert into tool_call (run, step, call_id, name, state, arguments, started_at)
     select n, $1, $2, $3, 'running', $4, $5 from run where id = $6`,
    place.step,
    place.callId,
    call.name,
    call.arguments,
    now,
    place.runId,
  );
}

/** Also records a call that never started: one that was refused. */
export function* endToolCall(
  place: ToolCallPlace,
  end: {
    readonly name: string;
    readonly arguments: string;
    readonly state: "completed" | "failed" | "rejected";
    readonly result: string | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  },
  now: number,
): Operation<void> {
  yield* change(
    `insert into tool_call (run, step, call_id, name, state, arguments, result, error_code, error_message, started_at, finished_at)
     select n, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 from run where id = $11
     on conflict (run, step, call_id) do update set state = excluded.state, result = excluded.result,
       error_code = excluded.error_code, error_message = excluded.error_message, finished_at = excluded.finished_at`,
    place.step,
    place.callId,
    end.name,
    end.state,
    end.arguments,
    end.result,
    end.error?.code ?? null,
    end.error?.message ?? null,
    now,
    now,
    place.runId,
  );
}
