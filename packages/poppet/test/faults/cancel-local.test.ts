/** The local model cancelled in each part of its work: loading, reading the prompt, answering; here and as a program. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ChatError } from "@poppet/chat";
import type { Assistant, RunEvent } from "../../src/assistant.ts";
import { openLocal } from "../../src/local.ts";
import { windowOf } from "../../src/models/catalogue.ts";
import { openModel } from "../../src/models/registry.ts";
import { ask, temporaryFolder, testSettings } from "../assistant.ts";
import { modelsFolder, smallModel, smallModelName } from "../small-model.ts";
import { type EngineMoment, watchEngine } from "./engine-moments.ts";
import { exitCodes, type Interrupt, reasons, runTold } from "./running.ts";

setDefaultTimeout(60_000);
beforeAll(() => smallModel(), 300_000);

const stopped = new ChatError("aborted", "Stopped by the test.");
/** Takes the model seconds to read; what is guessed of its size still fits. */
const long = "word ".repeat(3_400);
const story = "Tell me a very long story.";

function openHome(home: string): Promise<Assistant> {
  const settings = testSettings({ provider: "local", model: smallModelName });
  const deps = { env: {}, now: Date.now, modelsFolder };
  return openLocal({
    home,
    settingsFolder: home,
    settings,
    models: {
      tools: [],
      window: (choice) => windowOf(choice, settings),
      open: (choice, signal) => openModel(choice, settings, deps, signal),
    },
  });
}

async function expectInterrupted(assistant: Assistant, session: string, text: string, reason: string): Promise<void> {
  const { messages, runs } = await assistant.show(session);
  expect(messages.map((message) => message.text)).toEqual([text]);
  expect(runs).toMatchObject([{ state: "interrupted", output: null, error: { code: "aborted", message: reason } }]);
}

/** The next turn of the session sees nothing of the one that was stopped. */
async function expectNextWorks(assistant: Assistant, session: string): Promise<void> {
  const next = await ask(assistant, "What is the capital of France?", { session });
  expect(next.outcome).toMatchObject({ state: "completed", text: expect.stringContaining("Paris") });
  const usage = next.outcome.state === "completed" ? next.outcome.usage : null;
  expect(usage?.inputTokens).toBeLessThan(60);
  expect((await assistant.show(session)).runs.map((run) => run.state)).toEqual(["interrupted", "completed"]);
}

type Moment = RunEvent["type"] | EngineMoment;

describe("C11 in this process", () => {
  test.each<readonly [string, string, Moment, number]>([
    ["before it loads", story, "started", 1],
    ["while its file is loaded", story, "loading-model", 1],
    ["while its context is made", story, "making-context", 1],
    ["before the prompt is read", long, "step-start", 1],
    ["in the middle of the prompt", long, "reading-prompt", 5],
    ["at the first word of the answer", story, "text", 1],
    ["in the middle of the answer", story, "text", 10],
  ])("C11 the local model is cancelled %s", async (_name, text, moment, count) => {
    using folder = temporaryFolder();
    const assistant = await openHome(folder.path);
    const controller = new AbortController();
    const after: Moment[] = [];
    let missing = count;
    const reached = (reachedNow: Moment) => {
      if (controller.signal.aborted) after.push(reachedNow);
      else if (reachedNow === moment && --missing === 0) controller.abort(stopped);
    };
    using _engine = watchEngine(reached);
    const { outcome, sessionId } = await ask(assistant, text, {
      signal: controller.signal,
      onEvent: (event) => reached(event.type),
    });
    expect(outcome).toEqual({ state: "interrupted", error: { code: "aborted", message: "Stopped by the test." } });
    // The engine begins nothing more, and nothing more is said.
    expect(after).toEqual([]);
    await expectInterrupted(assistant, sessionId, text, "Stopped by the test.");
    await expectNextWorks(assistant, sessionId);
    // What was stopped in loading has not gone on behind the next turn.
    expect(after.filter((one) => one !== "reading-prompt")).toEqual(["loading-model", "making-context"]);
    await assistant.close();
  });
});

describe("§8.23 as a program", () => {
  test.each<readonly [string, Interrupt, string, string]>([
    ["while its file is loaded", "Ctrl-C", story, "loading-model"],
    ["while its context is made", "SIGTERM", story, "making-context"],
    ["while it reads the prompt", "Ctrl-C", long, "reading-prompt"],
    ["while it reads the prompt", "SIGHUP", long, "reading-prompt"],
    ["while it answers", "Ctrl-C", story, "answering"],
    ["while it answers", "SIGTERM", story, "answering"],
  ])("§8.23 the local model is cancelled %s by %s", async (_name, interrupt, text, shown) => {
    using folder = temporaryFolder();
    const { path: home } = folder;
    const config = `${home}/config.toml`;
    await Bun.write(config, `provider = "local"\nmodel = "${smallModelName}"\n`);
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      POPPET_HOME: home,
      POPPET_CONFIG: config,
      MODELS: modelsFolder,
    };
    await using running = runTold(["chat", "new", text], env, interrupt);
    await running.until(shown);
    running.interrupt();
    expect(await running.exited()).toBe(exitCodes[interrupt]);
    // The reason is the last that is said: nothing of the engine's comes after it.
    const output = Bun.stripANSI(running.output()).trimEnd();
    const said = /poppet: (Stopped [^\r\n]+)$/.exec(output)?.[1] ?? output;
    expect(said).toBe(reasons[interrupt]);
    const assistant = await openHome(home);
    const session = (await assistant.sessions({ limit: 10 }))[0]?.id ?? "";
    await expectInterrupted(assistant, session, text, said);
    await assistant.close();
  });
});
