import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { ChatError, defineTool, type Model } from "@poppet/chat";
import { call, finish, say, scriptedModel, think } from "@poppet/chat/testing";
import * as v from "valibot";
import { PoppetError } from "../src/error.ts";
import { openLocal } from "../src/local.ts";
import type { OpenModel } from "../src/models/registry.ts";
import type { ModelSource } from "../src/runs/run-turn.ts";
import { ownersAtWork, reapOwner } from "../src/store/runs.ts";
import { openStore } from "../src/store/sqlite.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { ask, begin, temporaryFolder, testAssistant, testSettings } from "./assistant.ts";

const model = (...steps: Parameters<typeof scriptedModel>[0]) =>
  scriptedModel(steps, { provider: "openai", modelId: "test-model" });

/** Says "one" and ends only when the gate opens. */
const gated = (gate: Promise<void>): Model => ({
  ...model(),
  async *stream() {
    yield say("one");
    await gate;
    yield finish();
  },
});

describe("C1 C2 a message and its answer", () => {
  test("is saved as an exchange that the next message continues", async () => {
    using folder = temporaryFolder();
    const scripted = model("Hello!", "Again.");
    const assistant = await testAssistant({ home: folder.path, model: scripted });
    const first = await ask(assistant, "hi");
    expect(first.outcome).toMatchObject({ state: "completed", text: "Hello!", usage: { totalTokens: 15 } });
    expect(first.events.slice(0, 2)).toEqual([
      { type: "accepted", sessionId: first.sessionId, runId: first.runId, messageId: first.messageId },
      { type: "started", provider: "openai", model: "test-model" },
    ]);
    const second = await ask(assistant, "and?", { session: first.sessionId });
    expect(scripted.requests[1]?.messages).toMatchObject([
      { role: "user", text: "hi" },
      { role: "assistant", text: "Hello!" },
      { role: "user", text: "and?" },
    ]);
    const shown = await assistant.show(first.sessionId);
    expect(shown.messages).toMatchObject([
      { id: first.messageId, role: "user", text: "hi", runId: first.runId, attachments: [] },
      { role: "assistant", text: "Hello!", runId: first.runId },
      { id: second.messageId, role: "user", text: "and?", runId: second.runId },
      { role: "assistant", text: "Again.", runId: second.runId },
    ]);
    expect(shown.session).toMatchObject({
      id: first.sessionId,
      title: "hi",
      titleSource: "prompt",
      namingAttempted: false,
      titleUsage: null,
      provider: "openai",
      model: "test-model",
      workload: "general",
      skill: null,
      project: null,
      parent: null,
      archived: false,
      contextStart: first.messageId,
      compactions: 0,
    });
    await assistant.close();
  });

  test("each is recorded with the channel that it came by", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, model: model("one", "two") });
    const { sessionId } = await ask(assistant, "hi", { channel: "cli" });
    await ask(assistant, "and?", { session: sessionId, channel: "web" });
    using database = new Database(`${folder.path}/poppet.db`);
    const channels = database.query("select authority ->> 'channel' as channel from input order by created_at, id");
    expect(channels.all()).toEqual([{ channel: "cli" }, { channel: "web" }]);
    expect((await assistant.show(sessionId)).session.channel).toBe("cli");
    await assistant.close();
  });

  test("survives a restart", async () => {
    using folder = temporaryFolder();
    const before = await testAssistant({ home: folder.path });
    const { sessionId } = await ask(before, "remember me");
    await before.close();
    const scripted = model("I do.");
    const after = await testAssistant({ home: folder.path, model: scripted });
    await ask(after, "do you?", { session: sessionId });
    expect(scripted.requests[0]?.messages).toHaveLength(3);
    await after.close();
  });

  test("§1.9 every key is there, and nothing of the continuation data", async () => {
    using folder = temporaryFolder();
    const secret = "encrypted-reasoning";
    const assistant = await testAssistant({
      home: folder.path,
      model: [[think("hm"), say("ok"), finish("stop", null, [{ type: "reasoning", blob: secret }])]],
    });
    const { sessionId } = await ask(assistant, "hi");
    const shown = await assistant.show(sessionId);
    expect(Object.keys(shown).sort()).toEqual(["messages", "runs", "session"]);
    expect(Object.keys(shown.runs[0] ?? {}).sort()).toEqual(
      ["error", "finishedAt", "id", "model", "output", "provider", "startedAt", "state", "toolCalls", "usage"].sort(),
    );
    expect(shown.runs[0]).toMatchObject({ state: "completed", output: "ok", usage: null, error: null });
    expect(JSON.stringify(shown)).not.toContain(secret);
    await assistant.close();
  });

  test("§8.11 continuation data goes back to the same provider and model", async () => {
    using folder = temporaryFolder();
    const scripted = model([say("ok"), finish("stop", null, { own: 1 })], "two");
    const assistant = await testAssistant({ home: folder.path, model: scripted });
    const { sessionId } = await ask(assistant, "hi");
    await ask(assistant, "more", { session: sessionId });
    expect(scripted.requests[1]?.messages[1]).toMatchObject({ role: "assistant", continuation: { own: 1 } });
    await assistant.close();
  });
});

describe("C11 what does not complete", () => {
  test("a partial answer is not saved, its input stays visible and is left out of later context", async () => {
    using folder = temporaryFolder();
    const scripted = model([say("half a sen"), new ChatError("provider_network", "The line is dead.")], "fine");
    const assistant = await testAssistant({ home: folder.path, model: scripted });
    const failed = await ask(assistant, "first");
    expect(failed.outcome).toEqual({
      state: "failed",
      error: { code: "provider_network", message: "The line is dead." },
    });
    await ask(assistant, "second", { session: failed.sessionId });
    expect(scripted.requests).toHaveLength(2);
    expect(scripted.requests[1]?.messages).toMatchObject([{ role: "user", text: "second" }]);
    const shown = await assistant.show(failed.sessionId);
    expect(shown.messages.map((message) => message.text)).toEqual(["first", "second", "fine"]);
    expect(shown.runs).toMatchObject([
      { state: "failed", output: null, error: { code: "provider_network", message: "The line is dead." } },
      { state: "completed" },
    ]);
    expect(JSON.stringify(shown)).not.toContain("half a sen");
    expect(await assistant.search("first")).toEqual({ matches: [], truncated: false });
    await assistant.close();
  });

  test("an abort at any event interrupts with its reason, and the next message works", async () => {
    using folder = temporaryFolder();
    const echo = defineTool({
      name: "test.echo",
      description: "",
      input: v.object({}),
      inputJsonSchema: {},
      run: async () => "ok",
    });
    const script = () => model([say("a"), call("test.echo", {}), finish()], "b", "next");
    const whole = await (async () => {
      const assistant = await testAssistant({ home: folder.path, model: script(), tools: [echo] });
      const { events } = await ask(assistant, "whole");
      await assistant.close();
      return events;
    })();
    for (let at = 0; at < whole.length; at++) {
      const assistant = await testAssistant({ home: folder.path, model: script(), tools: [echo] });
      const controller = new AbortController();
      let seen = 0;
      const stopped = await ask(assistant, "stop", {
        signal: controller.signal,
        onEvent: () => {
          if (seen++ === at) controller.abort(new ChatError("aborted", "Stopped by Ctrl-C."));
        },
      });
      expect(stopped.outcome).toEqual({
        state: "interrupted",
        error: { code: "aborted", message: "Stopped by Ctrl-C." },
      });
      const shown = await assistant.show(stopped.sessionId);
      expect(shown.runs).toMatchObject([{ state: "interrupted", error: { message: "Stopped by Ctrl-C." } }]);
      expect(shown.runs[0]?.toolCalls.every((one) => one.state !== "running")).toBe(true);
      const next = await ask(assistant, "go on", { session: stopped.sessionId });
      expect(next.outcome.state).toBe("completed");
      await assistant.close();
    }
  });

  test("a reader that leaves interrupts the run and closes the request", async () => {
    using folder = temporaryFolder();
    const scripted = model([say("x"), "hang"]);
    const assistant = await testAssistant({ home: folder.path, model: scripted });
    let sessionId = "";
    const target = { type: "new", workload: "general", skill: null, project: null } as const;
    for await (const event of assistant.submit({ text: "hi", channel: "cli", target }, new AbortController().signal)) {
      if (event.type === "accepted") sessionId = event.sessionId;
      if (event.type === "text") break;
    }
    expect(scripted.requests[0]?.signal.aborted).toBe(true);
    expect((await assistant.show(sessionId)).runs).toMatchObject([
      { state: "interrupted", error: { code: "aborted" } },
    ]);
    await assistant.close();
  });

  test("a run whose end cannot be written is not ended again as something else", async () => {
    using folder = temporaryFolder();
    let finishes = 0;
    const assistant = await testAssistant({
      home: folder.path,
      store: {
        onWrite(name, moment) {
          if (name !== "finish" || moment !== "before") return;
          finishes++;
          if (finishes <= 2) throw new PoppetError("store_busy", "stayed in use");
        },
      },
    });
    await expect(ask(assistant, "hi")).rejects.toMatchObject({ code: "store_busy" });
    expect(finishes).toBe(2);
    await assistant.close();
  });

  test("a model that was opened is closed with the assistant, also where a context could not be read", async () => {
    using folder = temporaryFolder();
    let open = 0;
    const opened: OpenModel = {
      model: model("Hello!"),
      contextWindow: null,
      maxOutputTokens: null,
      requestMs: 1000,
      close: async () => void open--,
    };
    const models: ModelSource = {
      tools: [],
      window: async () => null,
      async open() {
        open++;
        return opened;
      },
    };
    const assistant = await openLocal({
      home: folder.path,
      settingsFolder: folder.path,
      settings: testSettings(),
      models,
    });
    const { sessionId } = await ask(assistant, "hi");
    new Database(`${folder.path}/poppet.db`).run("update entry set body = 'spoilt'");
    const second = await ask(assistant, "and?", { session: sessionId });
    expect(second.outcome).toMatchObject({ state: "failed", error: { code: "run_failed" } });
    // The first run's, for what may follow it.
    expect(open).toBe(1);
    await assistant.close();
    expect(open).toBe(0);
  });

  test("two messages at once in one process have one owner, which is gone after close", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    await Promise.all([ask(assistant, "one"), ask(assistant, "two")]);
    await assistant.close();
    expect(readdirSync(`${folder.path}/owners`)).toEqual([]);
  });

  test("C11 a message that is empty or has a NUL is refused and nothing is saved", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    for (const [text, message] of [
      ["", "The message is empty. "],
      [" \n\t", "The message is empty. "],
      ["a\0b", "The message contains a NUL character, so it is no text; remove it."],
    ] as const) {
      await expect(ask(assistant, text)).rejects.toMatchObject({
        ...{ code: "message_invalid", exitCode: 2, message: expect.stringContaining(message) },
      });
    }
    expect(await assistant.sessions({ limit: 10 })).toEqual([]);
    await assistant.close();
  });

  test("C13 a message too large for the context fails by how much, and stays visible", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    const large = await ask(assistant, "x".repeat(2_200_000));
    expect(large.outcome).toMatchObject({ state: "failed", error: { code: "context_overflow" } });
    expect((await assistant.show(large.sessionId)).messages[0]?.text).toHaveLength(2_200_000);
    await assistant.close();
  });
});

describe("C15 which model answers", () => {
  test("a session keeps its provider and model when the settings change", async () => {
    using folder = temporaryFolder();
    const before = await testAssistant({ home: folder.path });
    const { sessionId } = await ask(before, "hi");
    await before.close();
    const after = await testAssistant({ home: folder.path, settings: { provider: "gemini", model: "other" } });
    const { events } = await ask(after, "still?", { session: sessionId });
    expect(events[1]).toEqual({ type: "started", provider: "openai", model: "test-model" });
    await after.close();
  });

  test("§8.8 with none configured the run fails no_model, and the session takes the one configured later", async () => {
    using folder = temporaryFolder();
    const before = await testAssistant({ home: folder.path, settings: { provider: null, model: null } });
    const first = await ask(before, "hi");
    expect(first.outcome).toMatchObject({ state: "failed", error: { code: "no_model" } });
    expect(await before.show(first.sessionId)).toMatchObject({
      session: { provider: null, model: null },
      messages: [{ text: "hi" }],
      runs: [{ state: "failed", provider: null }],
    });
    await before.close();
    const after = await testAssistant({ home: folder.path });
    const second = await ask(after, "now?", { session: first.sessionId });
    expect(second.outcome.state).toBe("completed");
    expect((await after.show(first.sessionId)).session).toMatchObject({ provider: "openai", model: "test-model" });
    await after.close();
  });

  test("opencode-go is refused without --coding, and nothing is saved", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, settings: { provider: "opencode-go" } });
    await expect(ask(assistant, "hi")).rejects.toMatchObject({ code: "workload_refused", exitCode: 2 });
    expect(await assistant.sessions({ limit: 10 })).toEqual([]);
    await assistant.close();
  });

  test("a session from before any provider does not take opencode-go, and takes another later", async () => {
    using folder = temporaryFolder();
    const before = await testAssistant({ home: folder.path, settings: { provider: null, model: null } });
    const { sessionId } = await ask(before, "hi");
    await before.close();
    const coding = await testAssistant({ home: folder.path, settings: { provider: "opencode-go" } });
    const refused = await ask(coding, "now?", { session: sessionId });
    expect(refused.outcome).toMatchObject({ state: "failed", error: { code: "workload_refused" } });
    expect((await coding.show(sessionId)).session.provider).toBeNull();
    await coding.close();
    const after = await testAssistant({ home: folder.path });
    expect((await ask(after, "and now?", { session: sessionId })).outcome.state).toBe("completed");
    await after.close();
  });
});

describe("§1.9 tool calls in chat show", () => {
  test("with state, error and a result cut to 200 code points", async () => {
    using folder = temporaryFolder();
    const tools = ["big", "bad"].map((name) =>
      defineTool({
        name: `test.${name}`,
        description: "",
        input: v.object({}),
        inputJsonSchema: {},
        run: async () => {
          if (name === "bad") throw new Error("broke");
          return "😀".repeat(500);
        },
      }),
    );
    const assistant = await testAssistant({
      home: folder.path,
      tools,
      model: [[call("test.big", {}), call("test.bad", {}), call("test.none", {}), finish()], "done"],
    });
    const { sessionId } = await ask(assistant, "hi");
    const calls = (await assistant.show(sessionId)).runs[0]?.toolCalls ?? [];
    expect(calls.map(({ name, state, error }) => ({ name, state, code: error?.code ?? null }))).toEqual(
      expect.arrayContaining([
        { name: "test.big", state: "completed", code: null },
        { name: "test.bad", state: "failed", code: "tool_failed" },
        { name: "test.none", state: "rejected", code: "tool_unknown" },
      ]),
    );
    expect([...(calls.find((one) => one.name === "test.big")?.result ?? "")]).toHaveLength(200);
    await assistant.close();
  });
});

describe("§8.5 two processes on one session", () => {
  test("the second is saved, waits and runs after the first, in order", async () => {
    using folder = temporaryFolder();
    const gate = Promise.withResolvers<void>();
    const one = await testAssistant({ home: folder.path, model: gated(gate.promise) });
    const two = await testAssistant({ home: folder.path, model: ["two"] });
    const first = begin(one, "first");
    const session = await first.session;
    const second = begin(two, "second", { session });
    await second.waiting;
    expect((await two.show(session)).runs.map((run) => run.state)).toEqual(["running", "queued"]);
    gate.resolve();
    await Promise.all([first.done, second.done]);
    const shown = await two.show(session);
    expect(shown.messages.map((message) => message.text)).toEqual(["first", "one", "second", "two"]);
    await one.close();
    await two.close();
  });

  test("those who wait go in the order in which they were accepted", async () => {
    using folder = temporaryFolder();
    const gate = Promise.withResolvers<void>();
    const one = await testAssistant({ home: folder.path, model: gated(gate.promise) });
    const first = begin(one, "first");
    const session = await first.session;
    const others = [];
    for (const text of ["second", "third", "fourth"]) {
      const assistant = await testAssistant({ home: folder.path });
      const { waiting, done } = begin(assistant, text, { session });
      await waiting;
      others.push({ assistant, done });
    }
    gate.resolve();
    await Promise.all([first.done, ...others.map((other) => other.done)]);
    const shown = await one.show(session);
    expect(shown.messages.flatMap((message) => (message.role === "user" ? [message.text] : []))).toEqual([
      "first",
      "second",
      "third",
      "fourth",
    ]);
    const starts = shown.runs.map((run) => run.startedAt ?? 0);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    for (const other of others) await other.assistant.close();
    await one.close();
  });

  test("a wait that is stopped becomes an interrupted run", async () => {
    using folder = temporaryFolder();
    const one = await testAssistant({ home: folder.path, model: [[say("x"), "hang"]] });
    const two = await testAssistant({ home: folder.path });
    const stopFirst = new AbortController();
    const first = begin(one, "first", { signal: stopFirst.signal });
    const session = await first.session;
    const stop = new AbortController();
    const second = await ask(two, "second", {
      session,
      signal: stop.signal,
      onEvent: (event) => event.type === "waiting" && stop.abort(),
    });
    expect(second.outcome.state).toBe("interrupted");
    stopFirst.abort();
    await first.done;
    expect((await two.show(session)).runs.map((run) => run.state)).toEqual(["interrupted", "interrupted"]);
    await one.close();
    await two.close();
  });
});

describe("§8.4 a completion is saved only by the run's owner, on the tip it started from", () => {
  test("a run that was taken away saves nothing", async () => {
    using folder = temporaryFolder();
    const gate = Promise.withResolvers<void>();
    const assistant = await testAssistant({ home: folder.path, model: gated(gate.promise) });
    const store = await openStore(`${folder.path}/poppet.db`);
    const asked = await ask(assistant, "hi", {
      onEvent: async (event) => {
        if (event.type !== "text") return;
        const [owner] = await store.read(ownersAtWork);
        await store.write("reap", () => reapOwner(owner ?? "", 1));
        gate.resolve();
      },
    });
    expect(asked.outcome).toMatchObject({ state: "failed", error: { code: "run_lost" } });
    const shown = await assistant.show(asked.sessionId);
    expect(shown.runs).toMatchObject([{ state: "interrupted", error: { code: "owner_died" }, output: null }]);
    expect(shown.messages.map((message) => message.text)).toEqual(["hi"]);
    store.close();
    await assistant.close();
  });

  test("a run whose session's tip moved meanwhile saves nothing, and the newer state stays", async () => {
    using folder = temporaryFolder();
    const gate = Promise.withResolvers<void>();
    const assistant = await testAssistant({ home: folder.path, model: gated(gate.promise) });
    const store = await openStore(`${folder.path}/poppet.db`);
    let moved: string | null = null;
    const asked = await ask(assistant, "hi", {
      onEvent: async (event) => {
        if (event.type !== "text") return;
        const session = (await assistant.sessions({ limit: 1 }))[0]?.id ?? "";
        const transcript = storedTranscript(store, session, { newId: () => Bun.randomUUIDv7(), now: () => 1 });
        moved = await transcript.commit({ expected: null, parent: null, exchange: "x", content: [{ role: "clear" }] });
        gate.resolve();
      },
    });
    expect(asked.outcome).toMatchObject({ state: "failed", error: { code: "run_lost" } });
    const after = storedTranscript(store, asked.sessionId, { newId: () => "", now: () => 1 });
    expect(await after.tip()).toBe(moved);
    expect((await assistant.show(asked.sessionId)).runs).toMatchObject([{ state: "failed", output: null }]);
    store.close();
    await assistant.close();
  });
});
