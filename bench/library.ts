/** What a client of the library costs beside its model: a turn, a delta, the length of the conversation, text that is no command. */
import {
  type ChatClient,
  clearCommand,
  commandSet,
  createChat,
  helpCommand,
  memoryTranscript,
  parseCommand,
} from "@poppet/chat";
import { finish, type ScriptedModel, say, scriptedModel } from "@poppet/chat/testing";
import { median } from "./measure.ts";
import type { Line } from "./table.ts";

const turns = 500;
const deltas = 10_000;

export async function benchLibrary(rounds: number): Promise<readonly Line[]> {
  return [await aTurn(rounds), await aDelta(rounds), await length(rounds), noCommand(rounds)];
}

async function aTurn(rounds: number): Promise<Line> {
  const run = async () => {
    const client = createChat({ model: scriptedModel(["ok"]), limits: { contextExchanges: 10 } });
    const floor = await microseconds(turns, () => read(scriptedModel(["ok"])));
    return { own: (await microseconds(turns, () => client.chat("hello"))) - floor, floor };
  };
  const { own, floor } = await medians(rounds, run);
  return line("a turn of a client, beside its model", own, `bare model ${floor.toFixed(1)} us`, 52);
}

async function aDelta(rounds: number): Promise<Line> {
  const answer = [...Array.from({ length: deltas }, () => say("word ")), finish()];
  const run = async () => {
    const client = createChat({ model: scriptedModel([answer]) });
    const floor = (await microseconds(1, () => read(scriptedModel([answer])))) / deltas;
    return { own: (await microseconds(1, () => drain(client))) / deltas - floor, floor };
  };
  const { own, floor } = await medians(rounds, run);
  return line("a delta through a client, beside its model", own, `bare model ${floor.toFixed(2)} us`, 2);
}

/** The same few exchanges are sent, however many there are. */
async function length(rounds: number): Promise<Line> {
  const clients = await Promise.all([100, 100_000].map(clientOf));
  const run = async () => {
    const [own = 0, floor = 1] = await Promise.all(
      clients.toReversed().map((client) => microseconds(50, () => client.chat("hello"))),
    );
    return { own, floor };
  };
  const { own, floor } = await medians(rounds, run);
  const ratio = own / floor;
  return {
    ...line("a turn in a conversation of 100,000 entries", own, `of 100 ${floor.toFixed(1)} us`, null),
    ratio: `${ratio.toFixed(2)}x`,
    target: `1.5x${ratio <= 1.5 ? "" : " MISSED"}`,
  };
}

async function clientOf(entries: number): Promise<ChatClient> {
  const transcript = memoryTranscript();
  for (let n = 0; n < entries; n++) {
    const tip = await transcript.tip();
    await transcript.commit({
      expected: tip,
      parent: tip,
      exchange: String(n),
      content: [{ role: "user", text: "hi" }],
    });
  }
  return createChat({ model: scriptedModel(["ok"]), transcript, limits: { contextExchanges: 20 } });
}

function noCommand(rounds: number): Line {
  const commands = commandSet([helpCommand(), clearCommand()]);
  const texts = ["what is the weather?", "/etc/hosts is what?", `/${"x".repeat(10_000)}`];
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    for (let n = 0; n < 30_000; n++) parseCommand(commands, texts[n % texts.length] ?? "");
    return ((performance.now() - started) * 1_000) / 30_000;
  });
  return line("text that is no command", median(times), "", 1);
}

async function read(model: ScriptedModel): Promise<void> {
  const request = { system: "", messages: [], tools: [], signal: new AbortController().signal };
  for await (const _ of model.stream(request));
}

async function drain(client: ChatClient): Promise<void> {
  for await (const _ of client.stream("hello"));
}

async function microseconds(times: number, run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < times; n++) await run();
  return ((performance.now() - started) * 1_000) / times;
}

async function medians(rounds: number, run: () => Promise<{ readonly own: number; readonly floor: number }>) {
  const pairs: { readonly own: number; readonly floor: number }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push(await run());
  return { own: median(pairs.map((pair) => pair.own)), floor: median(pairs.map((pair) => pair.floor)) };
}

function line(what: string, value: number, floor: string, most: number | null): Line {
  const target = most === null ? "" : `${most} us${value <= most ? "" : " MISSED"}`;
  return { what, value: `${value.toFixed(2)} us`, floor, ratio: "", target };
}
