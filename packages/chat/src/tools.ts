/**
 * Tools: what a model may ask for, and how a request is checked before anything runs. Schemas are Standard Schemas
 * (https://standardschema.dev), so valibot, zod and arktype all serve; the wire gets JSON Schema.
 */
import { ChatError, messageOf } from "./errors.ts";
import { type Json, wellFormed } from "./json.ts";
import type { ToolCall } from "./messages.ts";

/** A Standard Schema, version 1, of any library. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Standard JSON Schema: zod and arktype have it, valibot by `toStandardJsonSchema`. */
    readonly jsonSchema?: { input(options: { readonly target: "draft-07" }): unknown } | undefined;
  };
}
/** A value that fits, or why none does. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };
/** One thing that is wrong, and where. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Made by `defineTool`. */
export interface Tool<Input = unknown> {
  /** Up to 64 of `A-Z a-z 0-9 _ . -`. Where a provider forbids the dot, `__` stands for it on the wire, so it counts twice. */
  readonly name: string;
  readonly description: string;
  readonly input: StandardSchema<Input>;
  readonly inputJsonSchema: Json;
  /** Whether an error thrown by `run` goes to the model as a result or ends the turn as failed. */
  readonly onFailure: "tell-model" | "fail-turn";
  /** Stops at `signal`: what goes on after it is nobody's. Returns a JSON value. */
  run(input: Input, context: { readonly toolCallId: string; readonly signal: AbortSignal }): Promise<Json>;
}

/** A plain JSON Schema, say, can check nothing. */
export function refuseOtherSchema(schema: Partial<StandardSchema> | null | undefined, who: string): void {
  if (schema?.["~standard"]) return;
  throw new ChatError("option_invalid", `${who} was given no Standard Schema. A JSON Schema goes beside one.`);
}

/**
 * The JSON Schema that the schema gives of what it takes; null where it gives none, `option_invalid` where it fails to,
 * with the `option` that takes one instead.
 */
export function jsonSchemaOf(schema: StandardSchema, option: string): Json | null {
  try {
    const given = schema["~standard"].jsonSchema?.input({ target: "draft-07" });
    // Plain data: some come with symbols or getters.
    return given === undefined ? null : (JSON.parse(JSON.stringify(given)) as Json);
  } catch (cause) {
    const message = `The schema gives no JSON Schema of itself: ${messageOf(cause)}. Pass ${option}.`;
    throw new ChatError("option_invalid", message, { cause });
  }
}

/**
 * A tool whose `run` is typed by its schema. `inputJsonSchema` may be left out where the schema gives its own. A name or
 * a schema that cannot be: `option_invalid`.
 */
export function defineTool<Input>(
  tool: Omit<Tool<Input>, "onFailure" | "inputJsonSchema"> & Partial<Pick<Tool, "onFailure" | "inputJsonSchema">>,
): Tool {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(wireName(tool.name))) {
    throw new ChatError(
      "option_invalid",
      `${JSON.stringify(tool.name)} is no tool name: use 1 to 64 of A-Z a-z 0-9 _ . -, where a dot counts twice.`,
    );
  }
  refuseOtherSchema(tool.input, `The tool ${tool.name}`);
  const option = `inputJsonSchema to the tool ${tool.name}`;
  const inputJsonSchema = tool.inputJsonSchema ?? jsonSchemaOf(tool.input, option);
  if (inputJsonSchema === null) {
    throw new ChatError("option_invalid", `The schema gives no JSON Schema of itself. Pass ${option}.`);
  }
  return { onFailure: "tell-model", ...tool, inputJsonSchema } as Tool;
}

/** Tools by name. Two of one name, on the wire or off it, are refused. */
export function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>();
  const byWireName = new Map<string, Tool>();
  for (const tool of tools) {
    const wire = wireName(tool.name);
    const other = byWireName.get(wire);
    if (other) {
      throw new ChatError(
        "tool_duplicate",
        `Tools ${other.name} and ${tool.name} have the same name on the wire, ${wire}.`,
      );
    }
    byWireName.set(wire, tool);
    byName.set(tool.name, tool);
  }
  return byName;
}

/** The name for a provider that allows only `A-Z a-z 0-9 _ -`. */
export function wireName(name: string): string {
  return name.replaceAll(".", "__");
}

/** The tool's own name of one that came over the wire; an unknown name stays as it is. */
export function nameFromWire(name: string, tools: readonly Tool[]): string {
  return tools.find((tool) => wireName(tool.name) === name)?.name ?? name;
}

/** A call that may run, with what the schema made of its input; or one that may not, and why. */
export type CheckedCall =
  | { readonly call: ToolCall; readonly tool: Tool; readonly input: unknown }
  | { readonly call: ToolCall; readonly refusal: ChatError };

/**
 * Checks a whole batch before any of it runs: each tool known, each argument valid, each call allowed. `authorize`
 * sees every call that is known and valid, and returns the reason of each refusal by tool call ID.
 */
export async function checkBatch(
  requests: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: string }[],
  tools: ReadonlyMap<string, Tool>,
  authorize?: (batch: readonly ToolCall[]) => Promise<ReadonlyMap<string, string>>,
): Promise<readonly CheckedCall[]> {
  const checked = await Promise.all(requests.map((request) => checkOne(request, tools)));
  const allowed = checked.filter((one) => "tool" in one).map((one) => one.call);
  if (!authorize || allowed.length === 0) return checked;
  const refusals = await askWhetherAllowed(allowed, authorize);
  return checked.map((one) => {
    const id = one.call.toolCallId;
    // Whatever the reason is worth: what is in the map does not run.
    return "refusal" in one || !refusals.has(id)
      ? one
      : { call: one.call, refusal: new ChatError("tool_refused", refusals.get(id) ?? "It is not allowed.") };
  });
}

async function askWhetherAllowed(
  calls: readonly ToolCall[],
  authorize: (batch: readonly ToolCall[]) => Promise<ReadonlyMap<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await authorize(calls);
  } catch (cause) {
    if (ChatError.isInstance(cause)) throw cause;
    const why = `Whether the tools may run was not to be found out: ${messageOf(cause)}; nothing was run.`;
    throw new ChatError("tool_refused", why, { cause });
  }
}

async function checkOne(
  request: { readonly toolCallId: string; readonly toolName: string; readonly input: string },
  tools: ReadonlyMap<string, Tool>,
): Promise<CheckedCall> {
  const { toolCallId, toolName } = request;
  const refuse = (input: Json, code: "tool_unknown" | "tool_input", message: string): CheckedCall => ({
    call: { toolCallId, toolName, input },
    refusal: new ChatError(code, message),
  });
  let input: Json;
  try {
    input = wellFormed(JSON.parse(request.input.trim() || "{}") as Json);
  } catch {
    return refuse({}, "tool_input", `The arguments of ${toolName} are not JSON; nothing was run.`);
  }
  const tool = tools.get(toolName);
  if (!tool) return refuse(input, "tool_unknown", `There is no tool ${toolName}; nothing was run.`);
  try {
    // A copy: what a tool does to its input is not what the model wrote.
    const result = await tool.input["~standard"].validate(structuredClone(input));
    if (result.issues)
      return refuse(input, "tool_input", `The arguments of ${toolName} do not fit: ${issuesText(result.issues)}`);
    return { call: { toolCallId, toolName, input }, tool, input: result.value };
  } catch (thrown) {
    return refuse(input, "tool_input", `The arguments of ${toolName} could not be checked: ${messageOf(thrown)}`);
  }
}

/** The first five, each with where it is. */
export function issuesText(issues: readonly SchemaIssue[]): string {
  return issues
    .slice(0, 5)
    .map(({ message, path = [] }) => {
      const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
      return place ? `${place}: ${message}` : message;
    })
    .join("; ");
}
