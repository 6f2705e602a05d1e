/**
 * Structured answers: asks for one value that fits a schema, by what the model has: its own structured output, else a
 * tool whose call ends the turn, else an instruction. What comes is checked by the schema. In the conversation the answer
 * stands as JSON text, however it came.
 */
import type { AskCall } from "./chat-client.ts";
import type { Context, ContextBudget } from "./context.ts";
import { ChatError, messageOf } from "./errors.ts";
import type { Json } from "./json.ts";
import { type AssistantMessage, type Message, messagesBytes, type UserMessage } from "./messages.ts";
import type { Model } from "./model.ts";
import { defineTool, issuesText, jsonSchemaOf, refuseOtherSchema, type StandardSchema, type Tool } from "./tools.ts";
import type { TurnOptions } from "./turn.ts";
import type { TurnResult } from "./turn-events.ts";

export interface Question {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly context: Context;
  readonly budget: ContextBudget;
  readonly input: UserMessage;
}

interface Asking extends AskCall, Pick<TurnOptions, "authorize"> {
  /** Throws where the turn does not complete. */
  run(options: Partial<TurnOptions>): Promise<Extract<TurnResult, { state: "completed" }>>;
}

/** How the model is told the shape, and where its value is then found. */
interface Way {
  readonly options: Partial<TurnOptions>;
  /** Undefined: no JSON there. */
  read(text: string): unknown;
  readonly answerTool: string | null;
}

/** The value and the exchange to keep. Throws `answer_invalid`, or what `run` throws. */
export async function askModel<Output>(
  question: Question,
  schema: StandardSchema<Output>,
  { run, repair = false, jsonSchema, authorize }: Asking,
): Promise<{ readonly value: Output; readonly messages: readonly Message[] }> {
  // Before the model is asked.
  refuseOtherSchema(schema, "ask");
  const shape = jsonSchema ?? jsonSchemaOf(schema, "jsonSchema");
  const way = wayFor(question, shape, authorize);
  const first = await run(way.options);
  const read = way.read(first.text);
  const checked = await check(schema, read);
  if (!("issues" in checked)) {
    const asItCame = way.answerTool === null && parsed(first.text) !== undefined;
    return { value: checked.value, messages: asItCame ? first.messages : inText(first.messages, way.answerTool, read) };
  }
  if (!repair) throw invalid(checked.issues, shape);

  const attempt = { id: "", messages: first.messages, bytes: messagesBytes(first.messages) };
  const again = wayFor(question, shape, authorize);
  const second = await run({
    ...again.options,
    context: { ...question.context, exchanges: [...question.context.exchanges, attempt] },
    // The first try is part of the question.
    budget: { ...question.budget, exchanges: question.budget.exchanges + 1 },
    input: { role: "user", text: `That does not fit: ${checked.issues}. Give the whole answer again, corrected.` },
  });
  const reread = again.read(second.text);
  const rechecked = await check(schema, reread);
  if ("issues" in rechecked) throw invalid(rechecked.issues, shape);
  const messages = [...first.messages, ...second.messages.slice(1)];
  return { value: rechecked.value, messages: inText(messages, again.answerTool, reread) };
}

function wayFor({ model, system, tools }: Question, shape: Json | null, authorize: TurnOptions["authorize"]): Way {
  if (shape !== null && model.supportsSchema) {
    const { schema, unwrap } = asObject(shape);
    return { options: { schema }, read: (text) => unwrap(jsonIn(text)), answerTool: null };
  }
  if (shape !== null && model.supportsTools) return toolWay(system, tools, shape, authorize);
  const told = shape === null ? "" : ` that fits this JSON Schema:\n${JSON.stringify(shape)}`;
  return {
    options: { system: withInstruction(system, `Answer with one JSON value and nothing else${told}`) },
    read: jsonIn,
    answerTool: null,
  };
}

function toolWay(system: string, tools: readonly Tool[], shape: Json, authorize: TurnOptions["authorize"]): Way {
  const { schema, unwrap } = asObject(shape);
  let name = "answer";
  while (tools.some((tool) => tool.name === name)) name += "_";
  let given: unknown;
  const answer = defineTool({
    name,
    description: "Takes the answer.",
    // Whatever comes is taken: it is checked afterwards, and a wrong one is not asked for again and again.
    input: { "~standard": { version: 1, vendor: "@poppet/chat", validate: (value) => ({ value }) } },
    inputJsonSchema: schema,
    async run(input) {
      given ??= input;
      return "Taken.";
    },
  });
  return {
    options: {
      system: withInstruction(system, `Give your answer by calling the tool ${name}, once.`),
      tools: [...tools, answer],
      finalTool: name,
      ...(authorize && {
        authorize: async (batch) => {
          const others = batch.filter((call) => call.toolName !== name);
          return others.length === 0 ? new Map() : authorize(others);
        },
      }),
    },
    read: (text) => unwrap(given ?? jsonIn(text)),
    answerTool: name,
  };
}

function withInstruction(system: string, instruction: string): string {
  return system === "" ? instruction : `${system}\n\n${instruction}`;
}

/** Tools, and some providers' structured output, want an object: any other shape goes as the `value` of one. */
function asObject(shape: Json): { readonly schema: Json; unwrap(value: unknown): unknown } {
  const fields = typeof shape === "object" && shape !== null && !Array.isArray(shape) ? (shape as Fields) : {};
  if (fields.type === "object") return { schema: shape, unwrap: (value) => value };
  // What has its place at the root of a schema.
  const { $schema: _, $defs, definitions, ...value } = fields;
  return {
    schema: {
      ...{ type: "object", properties: { value }, required: ["value"], additionalProperties: false },
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
    },
    unwrap: (given) => (typeof given === "object" && given !== null && "value" in given ? given.value : given),
  };
}
type Fields = { readonly [key: string]: Json };

/** The JSON value in a text: all of it, what stands in a fence, or from the first bracket to the last. */
function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?([\s\S]*?)```/.exec(text)?.[1];
  const bracketed = text.slice(text.search(/[[{]/), Math.max(text.lastIndexOf("]"), text.lastIndexOf("}")) + 1);
  for (const candidate of [text, fenced, bracketed]) {
    const value = parsed(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function check<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<{ readonly value: Output } | { readonly issues: string }> {
  if (value === undefined) return { issues: "it is no JSON" };
  try {
    const result = await schema["~standard"].validate(value);
    return result.issues ? { issues: issuesText(result.issues) } : { value: result.value };
  } catch (thrown) {
    // What a transform makes of it may fail in its own way.
    return { issues: messageOf(thrown) };
  }
}

/** The exchange with the answer as JSON text at its end, and without the calls that carried it. */
function inText(messages: readonly Message[], answerTool: string | null, value: unknown): readonly Message[] {
  const kept = messages.flatMap((message): Message[] => {
    if (message.role === "user") return [message];
    if (message.role === "tool") {
      const results = message.results.filter((result) => result.toolName !== answerTool);
      return results.length > 0 ? [{ ...message, results }] : [];
    }
    const toolCalls = message.toolCalls.filter((call) => call.toolName !== answerTool);
    if (toolCalls.length === message.toolCalls.length && toolCalls.length > 0) return [message];
    return toolCalls.length > 0 ? [{ ...message, toolCalls, continuation: null }] : [];
  });
  const last = messages.findLast((message): message is AssistantMessage => message.role === "assistant");
  const said = { text: JSON.stringify(value), toolCalls: [], continuation: null, measured: null };
  return last ? [...kept, { ...last, ...said }] : kept;
}

function invalid(issues: string, shape: Json | null): ChatError {
  const untold =
    shape === null ? " The model was not told the shape, as the schema gives no JSON Schema: pass jsonSchema." : "";
  return new ChatError("answer_invalid", `The answer does not fit what was asked for: ${issues}.${untold} Ask again.`, {
    details: { issues },
  });
}
