/**
 * A conversation in the engine's terms: a tool call lives inside the model's response together with its result, so an
 * assistant message, the tools' results and the next assistant message become one response.
 */
import type { ChatHistoryItem, ChatModelFunctionCall } from "node-llama-cpp";
import type { Json } from "../json.ts";
import { type Message, type ToolResult, userTexts } from "../messages.ts";
import { wireName } from "../tools.ts";

type Response = (string | ChatModelFunctionCall)[];

/** Ends with the model's turn, begun or still empty, which is where generation goes on. */
export function chatHistory(system: string, messages: readonly Message[]): ChatHistoryItem[] {
  const history: ChatHistoryItem[] = system.trim() === "" ? [] : [{ type: "system", text: system }];
  let response: Response | null = null;
  for (const [at, message] of messages.entries()) {
    if (message.role === "user") {
      response = null;
      history.push({ type: "user", text: userTexts(message).join("\n\n") });
    } else if (message.role === "assistant") {
      if (response === null) {
        response = [];
        history.push({ type: "model", response });
      }
      if (message.text !== "") response.push(message.text);
      // Only of the message after it: models of other providers use an ID again in a later turn.
      const next = messages[at + 1];
      const results = next?.role === "tool" ? next.results : [];
      message.toolCalls.forEach((call, index) => {
        response?.push({
          type: "functionCall",
          name: wireName(call.toolName),
          params: call.input,
          result: resultOf(results.find((result) => result.toolCallId === call.toolCallId)),
          startsNewChunk: index === 0,
        });
      });
    }
  }
  if (response === null) history.push({ type: "model", response: [] });
  return history;
}

function resultOf(result: ToolResult | undefined): Json {
  if (result === undefined) return { error: "no result" };
  return result.state === "completed" ? result.output : { error: result.output };
}
