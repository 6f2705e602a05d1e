/**
 * A turn of the library beside the same turn of others, on the same scripted model: `streamText` of the AI SDK over an AI
 * SDK model, and pi's agent loop and the agent that it has over it, beside our loop and our client. They are fetched for
 * this into `.cache/peers`, for they weigh 150 MB and nothing else needs them.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createChat, defaultLimits, emptyContext, turn } from "@poppet/chat";
import { type AiSdkModel, languageModel } from "@poppet/chat/ai-sdk";
import { finish, type ScriptedModel, say, scriptedModel } from "@poppet/chat/testing";
import { median } from "./measure.ts";
import type { Line } from "./table.ts";

const packages = ["ai@7.0.173", "@mariozechner/pi-agent-core@0.73.1"];
const folder = new URL("../.cache/peers/", import.meta.url).pathname;

/** Answers with so many deltas. */
type Turn = (deltas: number) => Promise<unknown>;

export async function benchPeers(rounds: number): Promise<readonly Line[]> {
  install();
  const [streamText, pi] = await Promise.all([aiSdkTurn(), piTurns()]);
  const lines: Line[] = [];
  for (const deltas of [1, 1_000]) {
    const what = deltas === 1 ? "a turn of one delta" : `a turn of ${deltas.toLocaleString("en")} deltas`;
    lines.push(await compareTurns(`${what}, an AI SDK model`, ownOverAiSdk, "streamText", streamText, deltas, rounds));
    lines.push(await compareTurns(`${what}, the loop alone`, ownLoop, "pi's loop", pi.loop, deltas, rounds));
    lines.push(await compareTurns(`${what}, a new client`, ownClient, "pi's agent", pi.agent, deltas, rounds));
  }
  return lines;
}

function install(): void {
  if (existsSync(`${folder}node_modules/ai`) && existsSync(`${folder}node_modules/@mariozechner/pi-agent-core`)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}package.json`, '{"private":true}');
  const run = Bun.spawnSync(["bun", "add", "--exact", "--linker=hoisted", ...packages], {
    cwd: folder,
    stderr: "pipe",
  });
  if (!run.success) throw new Error(`the other loops cannot be fetched: ${run.stderr.toString()}`);
}

async function compareTurns(
  what: string,
  ours: Turn,
  name: string,
  theirs: Turn,
  deltas: number,
  rounds: number,
): Promise<Line> {
  const times = Math.max(5, Math.floor(500 / deltas));
  const samples: { readonly own: number; readonly peer: number }[] = [];
  // In short turns side by side: a machine that slows down slows both of a pair. The first fifth warms up.
  for (let pair = -2 * rounds; pair < 8 * rounds; pair++) {
    const sample = { own: await microseconds(times, ours, deltas), peer: await microseconds(times, theirs, deltas) };
    if (pair >= 0) samples.push(sample);
  }
  const own = median(samples.map((sample) => sample.own));
  const peer = median(samples.map((sample) => sample.peer));
  const ratio = median(samples.map((sample) => sample.own / sample.peer));
  return {
    what,
    value: `${own.toFixed(1)} us`,
    floor: `${name} ${peer.toFixed(1)} us`,
    ratio: `${ratio.toFixed(2)}x`,
    target: `1x${ratio <= 1 ? "" : " MISSED"}`,
  };
}

/** Of CPU. */
async function microseconds(times: number, turn: Turn, deltas: number): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) await turn(deltas);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

const ownClient: Turn = (deltas) => drain(createChat({ model: scripted(deltas) }).stream("hello"));

const budget = { exchanges: 400, bytes: 2_097_152, tokens: 96_000 };

const ownLoop: Turn = (deltas) =>
  drain(
    turn({
      model: scripted(deltas),
      system: "",
      context: emptyContext,
      input: { role: "user", text: "hello" },
      tools: [],
      limits: defaultLimits,
      budget,
    }),
  );

function scripted(deltas: number): ScriptedModel {
  return scriptedModel([[...Array.from({ length: deltas }, () => say("word ")), finish()]]);
}

const request = { system: "", messages: [], tools: [], signal: new AbortController().signal };

const ownOverAiSdk: Turn = (deltas) => drain(createChat({ model: languageModel(aiSdkModel(deltas)) }).stream("hello"));

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
};

function aiSdkModel(deltas: number): AiSdkModel & { readonly supportedUrls: object } {
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    async doStream() {
      const parts = [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "0" },
        ...Array.from({ length: deltas }, () => ({ type: "text-delta", id: "0", delta: "word " })),
        { type: "text-end", id: "0" },
        { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
      ];
      let at = 0;
      return {
        stream: new ReadableStream<{ readonly type: string }>({
          pull(controller) {
            const part = parts[at++];
            if (part) controller.enqueue(part);
            else controller.close();
          },
        }),
      };
    },
  };
}

async function aiSdkTurn(): Promise<Turn> {
  const { streamText } = await import(`${folder}node_modules/ai/dist/index.js`);
  return (deltas) => drain(streamText({ model: aiSdkModel(deltas), prompt: "hello", maxRetries: 0 }).fullStream);
}

async function piTurns(): Promise<{ readonly loop: Turn; readonly agent: Turn }> {
  const [{ agentLoop, Agent }, { createAssistantMessageEventStream }] = await Promise.all([
    import(`${folder}node_modules/@mariozechner/pi-agent-core/dist/index.js`),
    import(`${folder}node_modules/@mariozechner/pi-ai/dist/utils/event-stream.js`),
  ]);
  const model = { id: "scripted", provider: "scripted", api: "scripted" };
  const convertToLlm = (messages: unknown) => messages;
  const stream = (deltas: number) => () => {
    const events = createAssistantMessageEventStream();
    const block = { type: "text", text: "" };
    const partial = { role: "assistant", content: [block], stopReason: "stop", usage: {}, timestamp: 0 };
    (async () => {
      events.push({ type: "start", partial });
      events.push({ type: "text_start", contentIndex: 0, partial });
      for await (const event of scripted(deltas).stream(request)) {
        if (event.type !== "text") continue;
        block.text += event.delta;
        events.push({ type: "text_delta", contentIndex: 0, delta: event.delta, partial });
      }
      events.push({ type: "text_end", contentIndex: 0, content: block.text, partial });
      events.push({ type: "done", reason: "stop", message: partial });
    })();
    return events;
  };
  return {
    loop(deltas) {
      const context = { systemPrompt: "", messages: [], tools: [] };
      const prompt = { role: "user", content: "hello", timestamp: 0 };
      return drain(agentLoop([prompt], context, { model, convertToLlm }, undefined, stream(deltas)));
    },
    agent(deltas) {
      const initialState = { model, systemPrompt: "", tools: [] };
      const agent = new Agent({ initialState, convertToLlm, streamFn: stream(deltas) });
      agent.subscribe(() => {});
      return agent.prompt("hello");
    },
  };
}
