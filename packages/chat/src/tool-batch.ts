/** Runs the checked tool calls of one step, side by side, and reports each as it ends. */
import { Scope } from "./abort.ts";
import type { Emit } from "./emit.ts";
import { ChatError, messageOf } from "./errors.ts";
import { type Json, wellFormed } from "./json.ts";
import type { ToolResult } from "./messages.ts";
import type { CheckedCall } from "./tools.ts";
import type { TurnEvent } from "./turn-events.ts";

type Accepted = Extract<CheckedCall, { tool: unknown }>;

/**
 * Results in the order of the calls. A failing tool whose `onFailure` is `fail-turn` stops the others and throws
 * ChatError `tool_failed`.
 */
export async function runBatch(
  checked: readonly CheckedCall[],
  step: number,
  parent: Scope,
  tell: Emit<TurnEvent>,
): Promise<readonly ToolResult[]> {
  const results = new Map<string, ToolResult>();
  const accepted: Accepted[] = [];
  for (const one of checked) {
    if ("tool" in one) {
      accepted.push(one);
      await tell({ type: "tool-start", step, call: one.call });
    } else {
      const result = resultOf(one, "rejected", errorOutput(one.refusal));
      results.set(one.call.toolCallId, result);
      await tell({ type: "tool-end", step, call: one.call, result });
    }
  }
  parent.throwIfAborted();

  const scope = new Scope(parent);
  try {
    const running = new Map(accepted.map((one) => [one, runOne(one, scope.signal).then((end) => ({ one, ...end }))]));
    while (running.size > 0) {
      const { one, result, thrown } = await Promise.race(running.values());
      running.delete(one);
      results.set(one.call.toolCallId, result);
      await tell({ type: "tool-end", step, call: one.call, result });
      if (result.state === "failed" && one.tool.onFailure === "fail-turn") {
        throw new ChatError("tool_failed", `${one.call.toolName} failed: ${messageOf(thrown)}`, {
          details: { toolName: one.call.toolName },
          cause: thrown,
        });
      }
    }
  } finally {
    scope.abort(new ChatError("aborted", "The tools of this step have ended."));
  }
  return checked.flatMap((one) => results.get(one.call.toolCallId) ?? []);
}

async function runOne(one: Accepted, signal: AbortSignal): Promise<{ result: ToolResult; thrown?: unknown }> {
  try {
    const output = await one.tool.run(one.input, { toolCallId: one.call.toolCallId, signal });
    return { result: resultOf(one, "completed", asJson(output)) };
  } catch (thrown) {
    return { result: resultOf(one, "failed", errorOutput(thrown)), thrown };
  }
}

function resultOf(one: CheckedCall, state: ToolResult["state"], output: Json): ToolResult {
  return { toolCallId: one.call.toolCallId, toolName: one.call.toolName, state, output: wellFormed(output) };
}

function errorOutput(thrown: unknown): Json {
  const code = (thrown as { code?: unknown } | null)?.code;
  return { error: { code: typeof code === "string" ? code : "tool_failed", message: messageOf(thrown) } };
}

/** What the model and the store get is what JSON keeps of it. */
function asJson(output: unknown): Json {
  const text = JSON.stringify(output);
  if (text === undefined) throw new Error("the tool returned no JSON value");
  return JSON.parse(text) as Json;
}
