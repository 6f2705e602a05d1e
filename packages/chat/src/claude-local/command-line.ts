/**
 * How the `claude` program is called. What a conversation contains may try to talk an agent into anything, so nothing is
 * open that was not opened: no tools, no MCP servers, no settings, hooks, plugins and memory files of the machine, no
 * commands and no `@file` in what is said. It asks once and for one answer: no retries, no second try without a stream.
 * Names of flags and variables are from Claude Code's own documentation.
 */

/** What Claude Code may use by itself. */
export interface ClaudeAccess {
  /** Claude Code's own tools that there are, such as `Read`; `default` stands for all of them. Default: none. */
  readonly tools?: readonly string[];
  /** What they may do, in Claude Code's rules, such as `Bash(git log:*)`; what would have to be asked for is refused. */
  readonly allow?: readonly string[];
  /** A file with MCP servers, or the same as JSON text. Default: none. */
  readonly mcpConfig?: string;
  /** The settings, hooks, plugins and memory files that are read. Default: none. */
  readonly settings?: readonly ("user" | "project" | "local")[];
}

export interface CommandLine {
  readonly system: string;
  readonly systemPrompt: "replace" | "append";
  readonly model: string | null;
  /** The session to go on from; it stays as it is. */
  readonly sessionId: string | null;
  readonly access: ClaudeAccess;
}

/** Values that come from elsewhere stand behind a `=`, where none can be taken for a flag. */
export function argumentsOf({ system, systemPrompt, model, sessionId, access }: CommandLine): readonly string[] {
  // No argument can have a U+0000.
  const prompt = system.replaceAll("\0", "");
  const { tools = [], allow = [], mcpConfig = '{"mcpServers":{}}', settings = [] } = access;
  return [
    ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    systemPrompt === "append" ? `--append-system-prompt=${prompt}` : `--system-prompt=${prompt}`,
    ...(model === null ? [] : [`--model=${model}`]),
    ...(sessionId === null ? [] : [`--resume=${sessionId}`, "--fork-session"]),
    ...["--tools", tools.join(",")],
    ...(allow.length === 0 ? [] : [`--allowedTools=${allow.join(",")}`]),
    ...["--strict-mcp-config", `--mcp-config=${mcpConfig}`],
    ...["--setting-sources", settings.join(",")],
    "--disable-slash-commands",
  ];
}

type Environment = { readonly [name: string]: string | undefined };

export function environmentOf(given: Environment, { settings = [] }: ClaudeAccess): Environment {
  // Set by a Claude Code that this runs in, which would not have another inside.
  const { CLAUDECODE: _outer, ...env } = given;
  return {
    ...env,
    CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    ...(settings.length === 0 && { CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1" }),
  };
}
