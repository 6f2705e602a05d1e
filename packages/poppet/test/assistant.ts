/** Starts the assistant in a folder of its own, over a scripted model, for tests of sessions, runs and their store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Model, Tool } from "@poppet/chat";
import { type ScriptedStep, scriptedModel } from "@poppet/chat/testing";
import type { Assistant, RunEvent, RunOutcome, Submission, Workload } from "../src/assistant.ts";
import { openLocal } from "../src/local.ts";
import { defaultChat, defaultLimits, type Settings } from "../src/settings.ts";
import type { StoreOptions } from "../src/store/sqlite.ts";

export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "poppet-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function testSettings(changes: Partial<Settings> = {}): Settings {
  return {
    provider: "openai",
    model: "test-model",
    chat: defaultChat,
    limits: defaultLimits,
    providers: {},
    models: {},
    toolBytes: 16_384,
    ...changes,
  };
}

export interface TestAssistantOptions {
  readonly home: string;
  readonly settingsFolder?: string;
  readonly model?: Model | readonly ScriptedStep[];
  readonly settings?: Partial<Settings>;
  readonly tools?: readonly Tool[];
  readonly contextWindow?: number;
  readonly store?: StoreOptions;
  readonly clock?: Clock;
  /** How long the model takes to open; default: at once. */
  readonly opening?: () => Promise<void>;
}

export function testAssistant(options: TestAssistantOptions): Promise<Assistant> {
  const { model = ["An answer."] } = options;
  const settings = testSettings(options.settings);
  const scripted = "stream" in model ? model : scriptedModel(model, { provider: "openai", modelId: "test-model" });
  return openLocal({
    home: options.home,
    settingsFolder: options.settingsFolder ?? `${options.home}/settings`,
    settings,
    models: {
      window: async () => ({ contextWindow: options.contextWindow ?? null, maxOutputTokens: null }),
      tools: options.tools ?? [],
      async open() {
        await options.opening?.();
        return {
          model: scripted,
          contextWindow: options.contextWindow ?? null,
          maxOutputTokens: null,
          requestMs: settings.limits.requestMs,
          close: async () => {},
        };
      },
    },
    ...(options.store && { store: options.store }),
    ...(options.clock && { clock: options.clock }),
  });
}

export interface Submitted {
  readonly events: readonly RunEvent[];
  readonly outcome: RunOutcome;
  readonly sessionId: string;
  readonly runId: string;
  readonly messageId: string;
}

export interface AskOptions {
  readonly session?: string;
  readonly channel?: string;
  readonly skill?: string;
  readonly project?: string;
  readonly workload?: Workload;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** Submits a message, to a session or as a new one, and reads its run to the end. */
export async function ask(assistant: Assistant, text: string, options: AskOptions = {}): Promise<Submitted> {
  const { session, workload = "general", skill = null, project = null } = options;
  const target: Submission["target"] = session
    ? { type: "session", sessionId: session }
    : { type: "new", workload, skill, project };
  const running = assistant.submit(
    { text, channel: options.channel ?? "cli", target },
    options.signal ?? new AbortController().signal,
  );
  const events: RunEvent[] = [];
  for (;;) {
    const next = await running.next();
    if (!next.done) {
      events.push(next.value);
      options.onEvent?.(next.value);
      continue;
    }
    const accepted = events.find((event) => event.type === "accepted");
    if (!accepted) throw new Error("the message was not accepted");
    const { sessionId, runId, messageId } = accepted;
    return { events, outcome: next.value, sessionId, runId, messageId };
  }
}

/** The same, for a test that goes on while the run does: what has been told of it so far, and its end. */
export function begin(assistant: Assistant, text: string, options: AskOptions = {}) {
  const accepted = Promise.withResolvers<string>();
  const waiting = Promise.withResolvers<void>();
  const done = ask(assistant, text, {
    ...options,
    onEvent(event) {
      if (event.type === "accepted") accepted.resolve(event.sessionId);
      if (event.type === "waiting") waiting.resolve();
      options.onEvent?.(event);
    },
  });
  return { session: accepted.promise, waiting: waiting.promise, done };
}
