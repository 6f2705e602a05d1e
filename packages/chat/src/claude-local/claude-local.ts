/**
 * Claude Code on this machine as a provider: `@poppet/chat/claude-local`, for Node, Bun and Deno on Linux and macOS. It
 * starts the `claude` program once for each message, under whatever login that has. The program keeps the conversation,
 * so there is no editor: `/undo` and `/compact` say so, and `/clear` begins a session of its own. What a message is, goes
 * to its input; the system prompt is an argument, which others on this machine can see.
 *
 * Each answer makes a new session of the program's that has the one before in it. So a message that failed or was
 * stopped leaves the conversation as it was, and a snapshot, which has the session's ID, stays what it was.
 */
import { homedir } from "node:os";
import process from "node:process";
import type { ConversationModel } from "../conversation.ts";
import { ChatError } from "../errors.ts";
import type { Json } from "../json.ts";
import { defineProvider } from "../providers/define-provider.ts";
import { linesOf } from "../providers/lines.ts";
import type { ProviderSession, SessionProvider } from "../session.ts";
import { AnswerReader } from "./answer.ts";
import { argumentsOf, type ClaudeAccess, environmentOf } from "./command-line.ts";
import { endedError, type FailureContext, saidError } from "./failure.ts";
import { startProgram } from "./process.ts";

export type { ClaudeAccess } from "./command-line.ts";

/** How `claudeLocal` starts the program, and what it opens to it. */
export interface ClaudeLocalOptions {
  /** As `claude --model` takes it: `sonnet`, or a whole name. Default: what the program chooses. */
  readonly model?: string;
  /** Name or path of the program. Default: `claude`. */
  readonly executable?: string;
  /**
   * Where it runs, what its tools see first, and what it keeps its sessions under: a conversation goes on only in the
   * same one. Default: the home folder.
   */
  readonly folder?: string;
  /** Whether the client's system prompt stands in place of the program's own or after it. Default: `replace`. */
  readonly systemPrompt?: "replace" | "append";
  /** What the program may do by itself. Default: nothing at all; it only talks. */
  readonly access?: ClaudeAccess;
  /** Default: this process's. */
  readonly env?: { readonly [name: string]: string | undefined };
}

/** From its last word to its end: it saves the session in between. */
const savingMs = 5_000;

/** For `createChat({model})`. It starts nothing before the first message. */
export function claudeLocal(options: ClaudeLocalOptions = {}): SessionProvider & ConversationModel {
  const { model = null, executable = "claude", access = {}, systemPrompt = "replace" } = options;
  const env = options.env ?? process.env;
  const modelId = model ?? "default";
  const secrets = Object.entries(env).flatMap(([name, value = ""]) => (isSecret(name, value) ? [value] : []));
  const context: FailureContext = { executable, modelId, secrets, now: Date.now };

  function openSession(state: Json): ProviderSession {
    let sessionId = sessionIdOf(state);
    return {
      async *send({ system, text, signal }) {
        const program = startProgram({
          executable,
          args: argumentsOf({ system, systemPrompt, model, sessionId, access }),
          env: environmentOf(env, access),
          folder: options.folder ?? homedir(),
          input: text,
        });
        signal.addEventListener("abort", program.end);
        const answer = new AnswerReader(access);
        let saving: ReturnType<typeof setTimeout> | null = null;
        try {
          for await (const line of linesOf(program.output)) {
            yield* answer.take(line);
            if (answer.finished) saving ??= setTimeout(program.end, savingMs);
          }
          const ending = await program.ended;
          signal.throwIfAborted();
          const outcome = answer.end();
          if (outcome.type === "failed") throw saidError(outcome.said, answer.retryAt, context);
          if (outcome.type === "cut") throw endedError(ending, program.errorText(), answer.started, context);
          sessionId = outcome.sessionId;
          yield* outcome.events;
        } finally {
          if (saving) clearTimeout(saving);
          signal.removeEventListener("abort", program.end);
          program.end();
        }
      },
      state: () => (sessionId === null ? null : { sessionId }),
      // Between messages there is nothing that runs.
      async close() {},
    };
  }

  return defineProvider({ provider: "claude-local", modelId, label: "Claude Code", secrets, openSession });
}

/** Shorter ones are settings, such as `true`. */
function isSecret(name: string, value: string): boolean {
  return value.length >= 8 && /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name);
}

/** From a snapshot, which may come from anywhere; it becomes an argument. */
function sessionIdOf(state: Json): string | null {
  if (state === null) return null;
  const { sessionId } = state as { readonly sessionId?: Json };
  if (typeof sessionId === "string" && /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(sessionId)) return sessionId;
  throw new ChatError("snapshot_invalid", "This snapshot has no session of Claude Code in it. Nothing was changed.");
}
