/**
 * The command line with an assistant that plays a script (JSON in $SCRIPT): a program of its own, started by tests of
 * what the command line draws, so that they need no model. `hang` waits for the abort, `pause` some milliseconds, `flood`
 * is much text, `stuck` says on stderr that it heard the abort, and does not end, `lose` is a reply that never comes.
 */
import type { Assistant, RunEvent, RunOutcome, SessionSummary } from "../../src/assistant.ts";
import type { Parts } from "../../src/cli/parts.ts";
import { runProgram } from "../../src/cli/start.ts";
import type { Library } from "../../src/library.ts";

export type Line =
  | RunEvent
  | { readonly type: "hang" }
  | { readonly type: "stuck" }
  | { readonly type: "lose" }
  | { readonly type: "flood"; readonly times: number }
  | { readonly type: "pause"; readonly ms: number };

export interface Script {
  readonly lines?: readonly Line[];
  readonly outcome?: RunOutcome;
  readonly sessions?: readonly SessionSummary[];
}

const script = JSON.parse(process.env.SCRIPT ?? "{}") as Script;

async function* submit(
  submission: Parameters<Assistant["submit"]>[0],
  signal: AbortSignal,
): AsyncGenerator<RunEvent, RunOutcome> {
  if (process.env.SCRIPT_ECHO) await Bun.write(process.env.SCRIPT_ECHO, JSON.stringify(submission));
  for (const line of script.lines ?? []) {
    if (line.type === "hang") await aborted(signal);
    else if (line.type === "lose") throw new Error("The connection was lost.");
    else if (line.type === "stuck") await aborted(signal).then(stuck);
    else if (line.type === "pause") await Promise.race([Bun.sleep(line.ms), aborted(signal)]);
    else if (line.type === "flood") {
      for (let i = 0; i < line.times && !signal.aborted; i++)
        yield { type: "text", step: 1, delta: "x".repeat(10_000) };
    } else yield line;
    if (signal.aborted) return interrupted(signal);
  }
  return script.outcome ?? { state: "completed", text: "", usage: null };
}

async function interrupted(signal: AbortSignal): Promise<RunOutcome> {
  const reason = signal.reason as { readonly message: string; readonly details: { readonly by: string } };
  if (process.env.SCRIPT_SAVED) await Bun.write(process.env.SCRIPT_SAVED, reason.details.by);
  return { state: "interrupted", error: { code: "aborted", message: reason.message } };
}

async function stuck(): Promise<void> {
  await Bun.write(Bun.stderr, "heard\n");
  await Bun.sleep(600_000);
}

function aborted(signal: AbortSignal): Promise<void> {
  // The timer keeps the process alive, as a provider's connection would.
  return new Promise((resolve) => {
    const timer = setInterval(() => {}, 1_000);
    const done = () => {
      clearInterval(timer);
      resolve();
    };
    if (signal.aborted) done();
    else signal.addEventListener("abort", done);
  });
}

const assistant = {
  submit,
  sessions: async ({ limit, before }: { limit: number; before?: string }) => {
    const all = script.sessions ?? [];
    const from = all.findIndex(({ id }) => id === before) + 1;
    return all.slice(from, from + limit);
  },
  shortIds: async (ids: readonly string[]) => ids,
  sessionsBeginning: async (beginning: string) => (script.sessions ?? []).filter(({ id }) => id.startsWith(beginning)),
  show: async (id: string) => ({ session: { id, title: "a\u009b31mb\u202e" }, messages: [], runs: [] }),
  search: async (query: string) => ({ matches: [], truncated: false, query }),
  nameSession: async () => null,
  close: async () => {},
} as unknown as Assistant;

const library = {
  names: () => ({ skills: ["weekly-review"], projects: ["acorn"] }),
  check: async () => [{ ok: true, subject: "skills", message: "none" }],
} as unknown as Library;

const parts: Parts = {
  openAssistant: async () => assistant,
  hasDatabase: async () => true,
  highlights: async (_query, texts) => texts.map(() => []),
  listModels: async (provider) => [
    {
      ...{ name: `${provider}/smollm2-135m`, provider, model: "smollm2-135m", contextWindow: 8192 },
      ...{ maxOutputTokens: null, tools: false, price: null },
      local: { installed: false, bytes: 98_000_000, note: "proof" },
    },
  ],
  async pullModel(reference, { onProgress, onSourceFailed, signal }) {
    for (let done = 0; done <= 10; done++) {
      onProgress({
        source: "b",
        stage: "downloading",
        received: done * 1_000_000,
        total: 10_000_000,
        rate: 0,
        secondsLeft: null,
      });
    }
    onSourceFailed("a", "no network");
    if (reference === "hang") {
      await aborted(signal);
      throw signal.reason;
    }
    return { name: reference, path: "/models/x.gguf", bytes: 10_000_000, sha256: "", source: "b" };
  },
  findServers: async () => [],
  async *tryModel() {
    yield { type: "text", delta: "Hello." };
  },
  library: async () => library,
  checkStore: async () => [{ ok: true, subject: "storage", message: "fine" }],
  checkProvider: async () => [{ ok: true, subject: "provider", message: "fine" }],
};

process.exit(await runProgram({ arguments: process.argv.slice(2), env: process.env, version: "0.0.0", parts }));
