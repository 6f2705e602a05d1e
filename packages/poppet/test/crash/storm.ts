/**
 * A storm of processes on one store: three on one session, five on others or on new ones, killed at random moments and at
 * every transaction, against a server that answers, calls tools and stalls. Then the laws are checked: what was accepted
 * is there once, what was answered is saved, order holds, nothing runs without an owner, no title is asked for twice, and
 * every session goes on.
 */
import { Database } from "bun:sqlite";
import type { Assistant, ShownSession } from "../../src/assistant.ts";
import { ask, testAssistant } from "../assistant.ts";
import { type ModelServer, type Reply, startModelServer } from "../model-server/index.ts";
import { type Random, random } from "./random.ts";
import type { StormChild } from "./storm-child.ts";

export interface StormOptions {
  readonly home: string;
  /** `storm-child.ts`, or what it was built to. */
  readonly child: string;
  readonly kills: number;
  readonly seed: number;
}

export interface StormReport {
  readonly processes: number;
  readonly kills: number;
  readonly accepted: number;
  readonly completed: number;
  /** Asked for. */
  readonly titles: number;
}

/** What one process said before it ended. `spawned` and `accepted` count events of the whole storm, in order. */
interface Witness {
  readonly text: string;
  readonly spawned: number;
  accepted: {
    readonly at: number;
    readonly sessionId: string;
    readonly runId: string;
    readonly messageId: string;
  } | null;
  answer: string | null;
  exit: number | null;
}

const slots = 8;
const shared = 3;
const dieAt = ["accept", "start", "tool", "finish", "index", "naming", "title", "reap"].flatMap((name) => [
  `${name}:before`,
  `${name}:after`,
]);
const checkEvery = 100;

const replies: readonly Reply[] = [
  { parts: [{ type: "text", text: ["An ", "answer."] }] },
  {
    parts: [
      { type: "text", text: "Wait" },
      { type: "delay", ms: 40 },
      { type: "text", text: " for it." },
    ],
  },
  { parts: [{ type: "tool-call", id: "call_1", name: "storm__echo", input: {} }] },
  { parts: [{ type: "text", text: "After the tool." }] },
  { parts: [{ type: "text", text: "Half" }, { type: "stall" }] },
  ...Array.from({ length: 8 }, (_, n) => ({ parts: [{ type: "text" as const, text: `Answer ${n}.` }] })),
];

/** Throws what is wrong, with the seed. */
export async function storm(options: StormOptions): Promise<StormReport> {
  const server = await startModelServer({ replies, afterLast: "repeat" });
  try {
    return await new Storm(options, server).run();
  } catch (thrown) {
    throw new Error(`seed ${options.seed}: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
      cause: thrown,
    });
  } finally {
    await server.close();
  }
}

class Storm {
  readonly #options: StormOptions;
  readonly #server: ModelServer;
  readonly #random: Random;
  readonly #witnesses: Witness[] = [];
  #sessions: string[] = [];
  #clock = 0;
  #kills = 0;
  #titles = 0;

  constructor(options: StormOptions, server: ModelServer) {
    this.#options = options;
    this.#server = server;
    this.#random = random(options.seed);
  }

  async run(): Promise<StormReport> {
    const settings = { provider: "openai-compatible", model: "storm" } as const;
    const first = await testAssistant({ home: this.#options.home, settings });
    for (let n = 0; n < 5; n++) this.#sessions.push((await ask(first, `session ${n}`)).sessionId);
    await first.close();
    while (this.#kills < this.#options.kills) {
      const until = Math.min(this.#kills + checkEvery, this.#options.kills);
      await Promise.all(Array.from({ length: slots }, (_, slot) => this.#fill(slot, until)));
      await this.#check();
    }
    const accepted = this.#witnesses.filter((one) => one.accepted !== null);
    return {
      processes: this.#witnesses.length,
      kills: this.#kills,
      accepted: accepted.length,
      completed: accepted.filter((one) => one.exit === 0).length,
      titles: this.#titles,
    };
  }

  /** Processes one after another, until there have been so many kills in all. */
  async #fill(slot: number, until: number): Promise<void> {
    while (this.#kills < until) {
      // Beyond the five there is none: then the process makes its own.
      const session = slot < shared ? this.#sessions[0] : this.#sessions[1 + this.#random.below(8)];
      const fate = this.#random.below(100);
      const killed = await this.#process(
        session ?? null,
        fate < 35 ? this.#random.pick(dieAt) : null,
        fate >= 35 && fate < 65 ? this.#random.below(400) : null,
      );
      if (killed) this.#kills++;
    }
  }

  /** Runs one process to its end; whether it was killed. */
  async #process(session: string | null, dieAt: string | null, killAfterMs: number | null): Promise<boolean> {
    const witness: Witness = {
      text: `message ${this.#witnesses.length} of the storm`,
      spawned: this.#clock++,
      accepted: null,
      answer: null,
      exit: null,
    };
    this.#witnesses.push(witness);
    const { home, child } = this.#options;
    const given: StormChild = {
      home,
      session,
      dieAt,
      text: witness.text,
      baseUrl: this.#server.baseUrl("openai-compatible"),
    };
    const process = Bun.spawn([globalThis.process.execPath, child, JSON.stringify(given)], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const timer = killAfterMs === null ? null : setTimeout(() => process.kill("SIGKILL"), killAfterMs);
    const [, complaint] = await Promise.all([
      this.#listen(process.stdout, witness),
      new Response(process.stderr).text(),
    ]);
    const code = await process.exited;
    if (timer) clearTimeout(timer);
    witness.exit = process.signalCode === null ? code : null;
    if (complaint !== "") throw new Error(`${witness.text} (die at ${dieAt}) said on stderr: ${complaint}`);
    return process.signalCode === "SIGKILL";
  }

  async #listen(stdout: ReadableStream<Uint8Array>, witness: Witness): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = JSON.parse(line);
        if (event.type === "accepted") witness.accepted = { at: this.#clock++, ...event };
        if (event.type === "outcome") witness.answer = event.text ?? null;
      }
    }
  }

  async #check(): Promise<void> {
    const assistant = await testAssistant({ home: this.#options.home, model: ["The next turn works."] });
    const shown = await showAll(assistant);
    const byText = new Map(this.#witnesses.map((witness) => [witness.text, witness]));
    for (const session of shown.values()) checkSession(session, byText);
    const places = countTexts(shown.values());
    this.#titles = checkTitles(this.#server, shown.values());
    for (const witness of this.#witnesses) checkWitness(witness, shown, places.get(witness.text) ?? 0);
    for (const session of this.#sessions) {
      const { outcome } = await ask(assistant, "and now?", { session });
      law(outcome.state === "completed", `the next turn of ${session} ended as ${JSON.stringify(outcome)}`);
    }
    await assistant.close();
    const db = new Database(`${this.#options.home}/poppet.db`);
    const [{ integrity_check: integrity } = { integrity_check: "" }] = db
      .query<{ integrity_check: string }, []>("pragma integrity_check")
      .all();
    db.close();
    law(integrity === "ok", `integrity_check: ${integrity}`);
  }
}

/** Every session, page by page. */
async function showAll(assistant: Assistant): Promise<ReadonlyMap<string, ShownSession>> {
  const shown = new Map<string, ShownSession>();
  for (let before: string | undefined; ; ) {
    const page = await assistant.sessions({ limit: 500, ...(before !== undefined && { before }) });
    for (const { id } of page) shown.set(id, await assistant.show(id));
    before = page.at(-1)?.id;
    if (before === undefined) return shown;
  }
}

/** How often each text is a message. */
function countTexts(sessions: Iterable<ShownSession>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { messages } of sessions) {
    for (const { text } of messages) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** Accepted: there once. Answered and exit 0: saved, as it was printed. */
function checkWitness(witness: Witness, shown: ReadonlyMap<string, ShownSession>, places: number): void {
  law(places <= 1, `${witness.text} is there ${places} times`);
  const { accepted } = witness;
  if (accepted === null) return;
  law(places === 1, `${witness.text} was accepted and is not there`);
  const session = shown.get(accepted.sessionId);
  law(session?.messages.some((message) => message.id === accepted.messageId) === true, `${accepted.messageId} is gone`);
  if (witness.exit !== 0) return;
  const run = session?.runs.find((one) => one.id === accepted.runId);
  law(run?.state === "completed" && run.output === witness.answer, `the answer to ${witness.text} is not saved`);
}

/** Asked for once at most, and only where that is on record; a model's title only where one was asked for. How many were. */
function checkTitles(server: ModelServer, shown: Iterable<ShownSession>): number {
  const asked = new Map<string, number>();
  for (const { body } of server.requests) {
    const prompt = /Message: (message \d+ of the storm)\\n\\nTitle:/.exec(JSON.stringify(body))?.[1];
    if (prompt !== undefined) asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
  }
  for (const { session, messages } of shown) {
    const prompt = messages[0]?.text ?? "";
    const times = asked.get(prompt) ?? 0;
    law(times <= 1, `a title for ${prompt} was asked for ${times} times`);
    law(times === 0 || session.namingAttempted, `a title for ${prompt} was asked for, and that is not on record`);
    law(session.titleSource !== "model" || times === 1, `${prompt} has a model's title that nobody asked for`);
  }
  return asked.size;
}

/** No run without an end, an answer right after its question, and what was accepted before another began, before it. */
function checkSession(session: ShownSession, byText: ReadonlyMap<string, Witness>): void {
  for (const run of session.runs) {
    law(run.state !== "running" && run.state !== "queued", `run ${run.id} is ${run.state} and nobody is alive`);
    law(
      run.toolCalls.every((call) => call.state !== "running"),
      `a tool call of run ${run.id} is running`,
    );
    const own = session.messages.filter((message) => message.runId === run.id);
    const roles = own.map((message) => message.role).join(" ");
    law(roles === (run.state === "completed" ? "user assistant" : "user"), `run ${run.id} (${run.state}) has ${roles}`);
  }
  let earliestLater = Number.POSITIVE_INFINITY;
  for (const message of session.messages.toReversed()) {
    const witness = byText.get(message.text);
    if (!witness) continue;
    law(witness.spawned < earliestLater, `${witness.text} stands before one that was accepted before it began`);
    if (witness.accepted) earliestLater = Math.min(earliestLater, witness.accepted.at);
  }
}

function law(holds: boolean, broken: string): void {
  if (!holds) throw new Error(broken);
}
