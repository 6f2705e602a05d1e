import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { scriptedModel } from "@poppet/chat/testing";
import type { Subprocess } from "bun";
import type { ShownRun } from "../../src/assistant.ts";
import { ask, temporaryFolder, testAssistant } from "../assistant.ts";
import type { ChildOptions } from "./child.ts";

type Child = Subprocess<"ignore", "pipe", "inherit">;

function start(options: ChildOptions): Child {
  return Bun.spawn([process.execPath, `${import.meta.dir}/child.ts`, JSON.stringify(options)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** The child's events up to one of the type asked for, or all of them. */
async function eventsUntil(child: Child, type: string | null): Promise<Record<string, string>[]> {
  const events: Record<string, string>[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return events;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) events.push(JSON.parse(line));
    if (type !== null && events.some((event) => event.type === type)) {
      reader.releaseLock();
      return events;
    }
  }
}

async function kill(child: Child): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
}

function integrity(home: string): unknown {
  const db = new Database(`${home}/poppet.db`);
  try {
    return db.query("pragma integrity_check").get();
  } finally {
    db.close();
  }
}

describe("§8.4 a killed process", () => {
  test("while its model answers: the run is interrupted, its input kept, and the next message works", async () => {
    using folder = temporaryFolder();
    const child = start({ home: folder.path, text: "first", model: "hangs" });
    const events = await eventsUntil(child, "text");
    const session = events[0]?.sessionId ?? "";
    const assistant = await testAssistant({ home: folder.path });
    expect((await assistant.show(session)).runs).toMatchObject([{ state: "running" }]);
    await kill(child);
    const shown = await assistant.show(session);
    expect(shown.runs).toMatchObject([{ state: "interrupted", error: { code: "owner_died" } }]);
    expect(shown.messages.map((message) => message.text)).toEqual(["first"]);
    const next = await ask(assistant, "second", { session });
    expect(next.outcome.state).toBe("completed");
    await assistant.close();
    expect(readdirSync(`${folder.path}/owners`)).toEqual([]);
  });

  test("while it waits its turn: its input becomes an interrupted run and holds nobody up", async () => {
    using folder = temporaryFolder();
    const running = start({ home: folder.path, text: "first", model: "hangs" });
    const session = (await eventsUntil(running, "text"))[0]?.sessionId ?? "";
    const waiting = start({ home: folder.path, text: "second", session, model: "answers" });
    await eventsUntil(waiting, "waiting");
    const third = start({ home: folder.path, text: "third", session, model: "answers" });
    await eventsUntil(third, "waiting");
    await kill(waiting);
    await kill(running);
    expect((await eventsUntil(third, null)).at(-1)).toMatchObject({ type: "outcome", state: "completed" });
    const assistant = await testAssistant({ home: folder.path });
    const shown = await assistant.show(session);
    expect(shown.runs.map((run) => run.state)).toEqual(["interrupted", "interrupted", "completed"]);
    expect(shown.messages.map((message) => message.text)).toEqual(["first", "second", "third", "whole"]);
    await assistant.close();
  });

  const outcomes: Record<string, { messages: string[]; states: ShownRun["state"][] }> = {
    "accept:before": { messages: [], states: [] },
    "accept:after": { messages: ["hi"], states: ["interrupted"] },
    "start:before": { messages: ["hi"], states: ["interrupted"] },
    "start:after": { messages: ["hi"], states: ["interrupted"] },
    "finish:before": { messages: ["hi"], states: ["interrupted"] },
    "finish:after": { messages: ["hi", "whole"], states: ["completed"] },
    "index:before": { messages: ["hi", "whole"], states: ["completed"] },
    "index:after": { messages: ["hi", "whole"], states: ["completed"] },
    "naming:before": { messages: ["hi", "whole"], states: ["completed"] },
    "naming:after": { messages: ["hi", "whole"], states: ["completed"] },
    "title:before": { messages: ["hi", "whole"], states: ["completed"] },
    "title:after": { messages: ["hi", "whole"], states: ["completed"] },
  };
  for (const [dieAt, expected] of Object.entries(outcomes)) {
    test(`at ${dieAt} leaves exactly what docs/storage.md says`, async () => {
      using folder = temporaryFolder();
      const child = start({ home: folder.path, text: "hi", model: "answers", dieAt });
      await child.exited;
      const assistant = await testAssistant({ home: folder.path });
      const sessions = await assistant.sessions({ limit: 10 });
      const shown = await Promise.all(sessions.map((session) => assistant.show(session.id)));
      expect(shown.flatMap((one) => one.messages.map((message) => message.text))).toEqual(expected.messages);
      expect(shown.flatMap((one) => one.runs.map((run) => run.state))).toEqual(expected.states);
      const session = sessions[0]?.id;
      expect((await ask(assistant, "go on", { ...(session && { session }) })).outcome.state).toBe("completed");
      expect((await assistant.search("whole")).matches).toHaveLength(expected.messages.includes("whole") ? 1 : 0);
      await assistant.close();
      expect(integrity(folder.path)).toEqual({ integrity_check: "ok" });
    });
  }

  for (const [dieAt, calls] of [
    ["tool:before", []],
    ["tool:after", ["unknown"]],
  ] as const) {
    test(`at ${dieAt}: the run is interrupted, and its call is what docs/storage.md says`, async () => {
      using folder = temporaryFolder();
      const child = start({ home: folder.path, text: "hi", model: "asks", dieAt });
      const session = (await eventsUntil(child, null))[0]?.sessionId ?? "";
      const assistant = await testAssistant({ home: folder.path });
      const { runs } = await assistant.show(session);
      expect(runs).toMatchObject([{ state: "interrupted", error: { code: "owner_died" }, output: null }]);
      expect(runs[0]?.toolCalls.map((one) => one.state)).toEqual([...calls]);
      expect((await ask(assistant, "go on", { session })).outcome.state).toBe("completed");
      await assistant.close();
      expect(integrity(folder.path)).toEqual({ integrity_check: "ok" });
    });
  }

  test.each(["before", "after"])("%s it has ended a dead one's run: the next that looks ends both", async (moment) => {
    using folder = temporaryFolder();
    const dead = start({ home: folder.path, text: "first", model: "answers", dieAt: "start:after" });
    const session = (await eventsUntil(dead, null))[0]?.sessionId ?? "";
    await dead.exited;
    const reaper = start({ home: folder.path, text: "second", session, model: "answers", dieAt: `reap:${moment}` });
    expect((await eventsUntil(reaper, null)).map((event) => event.type)).toEqual(["accepted"]);
    const assistant = await testAssistant({ home: folder.path });
    const shown = await assistant.show(session);
    expect(shown.runs.map((run) => [run.state, run.error?.code])).toEqual(Array(2).fill(["interrupted", "owner_died"]));
    expect((await ask(assistant, "third", { session })).outcome.state).toBe("completed");
    await assistant.close();
    expect(readdirSync(`${folder.path}/owners`)).toEqual([]);
  });

  const titles: Record<string, { title: string; titleSource: string; namingAttempted: boolean; asked: number }> = {
    "naming:before": { title: "hi", titleSource: "prompt", namingAttempted: false, asked: 1 },
    "naming:after": { title: "hi", titleSource: "prompt", namingAttempted: true, asked: 0 },
    "title:before": { title: "hi", titleSource: "prompt", namingAttempted: true, asked: 0 },
    "title:after": { title: "whole", titleSource: "model", namingAttempted: true, asked: 0 },
  };
  for (const [dieAt, { asked, ...expected }] of Object.entries(titles)) {
    test(`C9 at ${dieAt} leaves a title, and asks for none a second time`, async () => {
      using folder = temporaryFolder();
      const child = start({ home: folder.path, text: "hi", model: "answers", dieAt });
      await child.exited;
      const model = scriptedModel(["Another title"], { provider: "openai", modelId: "test-model" });
      const assistant = await testAssistant({ home: folder.path, model });
      const [session] = await assistant.sessions({ limit: 1 });
      expect(session).toMatchObject(expected);
      await assistant.nameSession(session?.id ?? "", new AbortController().signal);
      expect(model.requests).toHaveLength(asked);
      await assistant.close();
    });
  }
});
