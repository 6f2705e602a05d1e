/**
 * One process of the storm: submits one message to a real server through a real provider's package, and kills itself at
 * the transaction it is told. Prints each acceptance and the outcome as a line of JSON, and exits 0 where it completed.
 */
import { defineTool } from "@poppet/chat";
import * as v from "valibot";
import { openLocal } from "../../src/local.ts";
import { windowOf } from "../../src/models/catalogue.ts";
import { openModel } from "../../src/models/registry.ts";
import { defaultLimits } from "../../src/settings.ts";
import { testSettings } from "../assistant.ts";

export interface StormChild {
  readonly home: string;
  readonly baseUrl: string;
  readonly session: string | null;
  readonly text: string;
  /** `finish:before`, … */
  readonly dieAt: string | null;
}

const never = new AbortController().signal;

/** A run that the server stalls is over after this. */
const runMs = 2000;
const namingMs = 500;

async function main(child: StormChild): Promise<number> {
  const settings = testSettings({
    provider: "openai-compatible",
    model: "storm",
    limits: { ...defaultLimits, runMs },
    providers: { "openai-compatible": { baseUrl: child.baseUrl } },
  });
  const echo = defineTool({
    name: "storm.echo",
    description: "Says it again.",
    input: v.object({}),
    inputJsonSchema: { type: "object", properties: {} },
    run: async () => "again",
  });
  const assistant = await openLocal({
    home: child.home,
    settingsFolder: child.home,
    settings,
    models: {
      window: (choice) => windowOf(choice, settings),
      tools: [echo],
      open: (choice, signal) => openModel(choice, settings, { env: {}, now: Date.now, modelsFolder: "" }, signal),
    },
    store: {
      onWrite(name, moment) {
        if (`${name}:${moment}` === child.dieAt) process.kill(process.pid, "SIGKILL");
      },
    },
  });
  const target = child.session
    ? ({ type: "session", sessionId: child.session } as const)
    : ({ type: "new", workload: "general", skill: null, project: null } as const);
  const running = assistant.submit({ text: child.text, channel: "cli", target }, never);
  let sessionId: string | null = null;
  for (;;) {
    const next = await running.next();
    if (!next.done) {
      if (next.value.type !== "accepted") continue;
      sessionId = next.value.sessionId;
      await print(next.value);
      continue;
    }
    await print({ type: "outcome", ...next.value });
    const named = next.value.state === "completed" ? sessionId : null;
    if (named !== null) await assistant.nameSession(named, AbortSignal.timeout(namingMs));
    await assistant.close();
    return next.value.state === "completed" ? 0 : 1;
  }
}

async function print(line: object): Promise<void> {
  await Bun.write(Bun.stdout, `${JSON.stringify(line)}\n`);
}

main(JSON.parse(process.argv[2] ?? "{}") as StormChild).then((code) => process.exit(code));
