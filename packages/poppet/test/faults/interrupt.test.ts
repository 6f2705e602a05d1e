/** The program interrupted as a person or a system does it, in each kind of wait of a turn, over every protocol. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ShownRun } from "../../src/assistant.ts";
import { ask } from "../assistant.ts";
import { apiKey, type Reply } from "../model-server/index.ts";
import { providers } from "../providers/setup.ts";
import { environmentFor, exitCodes, type Interrupt, type Running, reasons, runTold } from "./running.ts";
import { bodies, expectAccepted, expectNoKey, openRig, type Rig, weatherCall } from "./setup.ts";

setDefaultTimeout(30_000);

const asks: Reply = {
  parts: [{ type: "text", text: "Looking." }, weatherCall("call_1", "Rome"), weatherCall("call_2", "Oslo")],
};
const silent: Reply = { connection: "silent" };
const stall = { type: "stall" } as const;
const back: Reply = { parts: [{ type: "text", text: "Back." }] };

interface Tools extends AsyncDisposable {
  readonly url: string;
  /** When both tools have asked. */
  readonly asked: Promise<void>;
  /** When both have closed their connection. */
  readonly left: Promise<void>;
}

/** What the program's tools talk to: it answers, or lets them wait. */
function toolServer(answers: boolean): Tools {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let asking = 0;
  let leaving = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      if (++asking === 2) asked.resolve();
      if (answers) return new Response("Sunny.");
      request.signal.addEventListener("abort", () => void (++leaving === 2 && left.resolve()));
      return new Promise<Response>(() => {});
    },
  });
  return {
    url: server.url.origin,
    asked: asked.promise,
    left: left.promise,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

interface Moment {
  readonly name: string;
  readonly replies: readonly Reply[];
  readonly reached: (rig: Rig, running: Running, tools: Tools) => Promise<unknown>;
  readonly toolCalls: readonly ShownRun["toolCalls"][number]["state"][];
}

const moments: readonly Moment[] = [
  { name: "before the first byte", replies: [silent], reached: (rig) => rig.server.request(1), toolCalls: [] },
  {
    name: "in the reasoning",
    replies: [{ parts: [{ type: "reasoning", text: "Hmmm" }, stall] }],
    reached: (_, running) => running.until("Hmmm"),
    toolCalls: [],
  },
  {
    name: "in the text",
    replies: [{ parts: [{ type: "text", text: "Half" }, stall] }],
    reached: (_, running) => running.until("Half"),
    toolCalls: [],
  },
  {
    name: "while tools run",
    replies: [asks],
    reached: (_, __, tools) => tools.asked,
    toolCalls: ["unknown", "unknown"],
  },
  {
    name: "between two steps",
    replies: [asks, silent],
    reached: (rig) => rig.server.request(2),
    toolCalls: ["completed", "completed"],
  },
];

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

describe.each(providers.map((choice, index) => ({ ...choice, choice, index })))(
  "C11 $provider",
  ({ choice, index }) => {
    // Each protocol has each moment by Ctrl-C and by one signal; together they have each moment by each signal.
    test.each(moments.map((moment, at) => [moment.name, signals[(index + at) % 3] ?? "SIGINT", moment] as const))(
      "§8.23 %s: Ctrl-C and %s",
      async (_name, signal, moment) => {
        await Promise.all([interrupted(choice, moment, "Ctrl-C"), interrupted(choice, moment, signal)]);
      },
    );
  },
);

async function interrupted(choice: (typeof providers)[number], moment: Moment, interrupt: Interrupt): Promise<void> {
  await using rig = await openRig(choice, { replies: [...moment.replies, back] });
  const { server, home, assistant } = rig;
  await using tools = toolServer(moment.toolCalls[0] === "completed");
  const env = await environmentFor(choice, rig, tools.url);
  await using running = runTold(["chat", "new", "Weather?"], env, interrupt);
  await moment.reached(rig, running, tools);
  running.interrupt();

  expect(await running.exited()).toBe(exitCodes[interrupt]);
  expect(running.output()).toContain(`poppet: ${reasons[interrupt]}`);
  expect(running.output()).not.toContain(apiKey);
  expect(server.requests).toHaveLength(moment.replies.length);
  expect(await server.requests.at(-1)?.over).toBe(moment.name === "while tools run" ? "ended" : "client");
  if (moment.toolCalls.includes("unknown")) await tools.left;

  const session = (await assistant.sessions({ limit: 10 }))[0]?.id ?? "";
  const { runs } = await assistant.show(session);
  expect(runs).toMatchObject([
    { state: "interrupted", error: { code: "aborted", message: reasons[interrupt] }, output: null },
  ]);
  expect(runs[0]?.toolCalls.map((one) => one.state)).toEqual([...moment.toolCalls]);
  expect((await ask(assistant, "Weather?", { session })).outcome).toMatchObject({ state: "completed", text: "Back." });
  expectAccepted(server);
  expect(bodies(server).at(-1)).toEqual(bodies(server)[0]);
  expectNoKey(home);
}
