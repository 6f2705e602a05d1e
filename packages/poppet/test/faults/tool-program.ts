/**
 * The program as it is, with two additions for tests of interruption: a tool, which the command line does not have yet, and
 * on stderr a line for each step that starts and, with the local model, for each part of its work. The tool asks the
 * server at $TOOL_URL and starts a process of its own, which holds stdout open for as long as it lives; both end with the
 * tool's signal.
 */
import { writeSync } from "node:fs";
import type { Assistant, RunEvent, RunOutcome } from "../../src/assistant.ts";
import { runProgram } from "../../src/cli/start.ts";
import { openLocal } from "../../src/local.ts";
import { windowOf } from "../../src/models/catalogue.ts";
import { openModel } from "../../src/models/registry.ts";
import { parts } from "../../src/parts.ts";
import { weatherTool } from "../providers/setup.ts";

const { TOOL_URL = "", MODELS = "" } = process.env;

const tool = weatherTool(async (city, signal) => {
  Bun.spawn(["sleep", "600"], { stdin: "ignore", stdout: "inherit", stderr: "ignore", signal }).unref();
  return (await fetch(`${TOOL_URL}/${city}`, { signal })).text();
});

function tell(what: string): void {
  writeSync(2, `${what}\n`);
}

async function* told(events: AsyncGenerator<RunEvent, RunOutcome>): AsyncGenerator<RunEvent, RunOutcome> {
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    if (next.value.type === "step-start") tell(`step ${next.value.step}`);
    if (next.value.type === "text" && MODELS !== "") tell("answering");
    yield next.value;
  }
}

async function openAssistant({ home, settings }: { home: string; settings: Parameters<typeof openModel>[1] }) {
  const deps = { env: process.env, now: Date.now, modelsFolder: MODELS };
  const assistant: Assistant = await openLocal({
    home,
    settingsFolder: home,
    settings,
    models: {
      tools: [tool],
      window: (choice) => windowOf(choice, settings),
      open: (choice, signal) => openModel(choice, settings, deps, signal),
    },
  });
  return { ...assistant, submit: (...given: Parameters<Assistant["submit"]>) => told(assistant.submit(...given)) };
}

if (MODELS !== "") (await import("./engine-moments.ts")).watchEngine(tell);
const program = { arguments: process.argv.slice(2), env: process.env, version: "0.0.0" };
process.exit(await runProgram({ ...program, parts: { ...parts, openAssistant } }));
