/**
 * A prompt on a pair of streams: a line that names a command runs it, any other is a message, whose answer is written as
 * it comes. Blank lines are ignored; a failure is said and the next line goes on; the end of the input ends it.
 */
import { untilAborted } from "../abort.ts";
import type { ChatClient } from "../chat-client.ts";
import type { CommandSet } from "../commands/command.ts";
import { runCommand } from "../commands/run.ts";
import { messageOf } from "../errors.ts";

/** What the prompt reads and writes. */
export interface ReplOptions {
  readonly client: ChatClient;
  readonly commands: CommandSet;
  /** `process.stdin`, or anything that gives UTF-8 text piece by piece. */
  readonly input: AsyncIterable<string | Uint8Array>;
  /** `process.stdout`, or anything that takes text. */
  readonly output: { write(text: string): unknown };
  /** Default: `> `. */
  readonly prompt?: string;
  /** Ends it, and what it is waiting for. The input stays open: `process.stdin` keeps Node running until it is destroyed. */
  readonly signal?: AbortSignal;
}

/** Runs until the input ends or `signal` aborts. Throws only what the input throws. */
export async function repl(options: ReplOptions): Promise<void> {
  const { input, output, prompt = "> ", signal = new AbortController().signal } = options;
  const lines = linesOf(input);
  try {
    while (!signal.aborted) {
      output.write(prompt);
      const next = await untilAborted(lines.next(), signal);
      if (next.done) break;
      if (next.value.trim() !== "") await answer(options, next.value, signal);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    // Not awaited: it may still wait for the input.
    lines.return(undefined).catch(() => {});
  }
  output.write("\n");
}

async function answer({ client, commands, output }: ReplOptions, line: string, signal: AbortSignal): Promise<void> {
  try {
    const outcome = await runCommand(client, commands, line, { signal });
    if (outcome.handled) {
      output.write(`${forTerminal(outcome.text)}\n`);
      return;
    }
    for await (const event of client.stream(line, { signal })) {
      if (event.type === "text") output.write(forTerminal(event.delta));
      if (event.type === "step-end") output.write("\n");
    }
  } catch (thrown) {
    if (!signal.aborted) output.write(`\nfailed: ${forTerminal(messageOf(thrown))}\n`);
  }
}

async function* linesOf(input: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of input) {
    const lines = (rest + (typeof piece === "string" ? piece : decoder.decode(piece, { stream: true }))).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** Without what could move the cursor, change colours or turn text round: a model's words are not the terminal's. */
function forTerminal(text: string): string {
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}
