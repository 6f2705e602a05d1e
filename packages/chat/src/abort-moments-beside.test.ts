import { expect, test } from "bun:test";
import * as z from "zod";
import { type ChatClient, ChatError, compact, createChat } from "./index.ts";
import { sessionModel } from "./session.ts";
import { finish, say, scriptedModel } from "./testing/index.ts";

const reason = new ChatError("aborted", "Enough.");

interface Scene {
  readonly client: ChatClient;
  /** The call that is aborted. */
  start(signal: AbortSignal): Promise<unknown>;
  /** What is true of the conversation however it ended. */
  check(answered: boolean): Promise<void>;
}

type Begin = (what: string) => void;

const scenes: { readonly [name: string]: (begin: Begin) => Scene } = {
  "ask, with its repair": (begin) => {
    const answer = (text: string) => () => {
      begin("request");
      return text;
    };
    const model = scriptedModel([answer("{}"), answer('{"n":1}'), "ok"], { supportsTools: false });
    const client = createChat({ model });
    return {
      client,
      start: (signal) => client.ask("How many?", z.object({ n: z.number() }), { repair: true, signal }),
      check: async (answered) => expect((await client.editor?.read())?.exchanges.length).toBe(answered ? 1 : 0),
    };
  },
  "a turn before which is compacted": (begin) => {
    const summarise = async () => {
      begin("writer");
      return "SUM";
    };
    const answer = () => {
      begin("request");
      return "ok";
    };
    const client = createChat({ model: scriptedModel([answer]), policy: compact({ at: 30, keep: 1, summarise }) });
    return {
      client,
      async start(signal) {
        for (const n of [1, 2, 3]) await client.add(`some words that are to be shortened, ${n}`);
        return client.chat("now", { signal });
      },
      check: async () => {},
    };
  },
  "a turn that its provider keeps": (begin) => {
    const openSession = (given: unknown) => {
      let count = Number(given);
      return {
        async *send() {
          begin("message");
          yield say("one ");
          await null;
          yield say("two");
          count++;
          yield finish();
        },
        state: () => (count === 0 ? null : count),
        close: async () => {},
      };
    };
    const client = createChat({ model: sessionModel({ provider: "k", modelId: "k", openSession }) });
    return {
      client,
      start: (signal) => client.chat("hello", { signal }),
      async check(answered) {
        expect((await client.snapshot()).conversation).toMatchObject({ state: answered ? 1 : null });
      },
    };
  },
};

for (const [name, open] of Object.entries(scenes)) {
  test(`C12 ${name}, aborted at any moment: nothing is begun after it, and the next call is as any other`, async () => {
    let moments = 0;
    for (let isOver = false; !isOver; moments++) {
      const controller = new AbortController();
      const { signal } = controller;
      const late: string[] = [];
      let isNext = false;
      const scene = open((what) => {
        if (signal.aborted && !isNext) late.push(what);
      });
      let settled = false;
      const ended = scene.start(signal).then(
        () => "answered" as const,
        (thrown: unknown) => thrown,
      );
      ended.then(() => {
        settled = true;
      });
      for (let tick = 0; tick < moments; tick++) await null;
      isOver = settled;
      controller.abort(reason);
      const end = await ended;
      for (let tick = 0; tick < 100; tick++) await null;
      expect([moments, late, end === "answered" || end === reason]).toEqual([moments, [], true]);
      await scene.check(end === "answered");
      isNext = true;
      expect((await scene.client.chat("and then?")).text).not.toBe("");
    }
    expect(moments).toBeGreaterThan(15);
  });
}
