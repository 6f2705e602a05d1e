import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { codeOf } from "../test/client.ts";
import {
  commandSet,
  compact,
  compactCommand,
  createChat,
  helpCommand,
  type Json,
  memoryTranscript,
  runCommand,
  type TranscriptEditor,
  truncate,
  undoCommand,
} from "./index.ts";
import { type SessionRequest, sessionModel } from "./session.ts";
import { finish, say } from "./testing/index.ts";

/** Reads and takes back the turns that a provider keeps. */
function editorOf(turns: () => readonly string[], set: (turns: readonly string[]) => void): TranscriptEditor {
  const exchanges = () =>
    turns().map((text, n) => ({ id: `${n}`, bytes: text.length, messages: [{ role: "user" as const, text }] }));
  return {
    read: async () => ({ revision: `${turns().length}`, summary: null, exchanges: exchanges() }),
    async dropLast(_revision, count) {
      const dropped = exchanges().slice(-count);
      set(turns().slice(0, -count));
      return dropped;
    },
    summarize: async (_revision, _through, text) => set([text, ...turns().slice(-1)]),
  };
}

/** A provider that keeps its own turns, and answers with how many it has. `closing`: what the end of a session waits for. */
function keeper(editor?: TranscriptEditor | "own", closing: () => unknown = () => {}) {
  const sent: SessionRequest[] = [];
  const closed: Json[] = [];
  const provider = {
    provider: "keeper",
    modelId: "k",
    openSession(state: Json) {
      let turns = (state ?? []) as readonly string[];
      const own = editorOf(
        () => turns,
        (next) => (turns = next),
      );
      return {
        ...(editor && { editor: editor === "own" ? own : editor }),
        async *send(request: SessionRequest) {
          sent.push(request);
          request.signal.throwIfAborted();
          yield say(request.text.includes("Give JSON") ? '{"n":1}' : `turn ${turns.length + 1}`);
          turns = [...turns, request.text];
          yield finish();
        },
        state: () => (turns.length === 0 ? null : turns),
        async close() {
          closed.push(turns);
          await closing();
        },
      };
    },
  };
  return { provider, sent, closed, client: createChat({ model: sessionModel(provider), system: "Be brief." }) };
}

describe("L4 a provider that keeps its conversation", () => {
  test("L6 is sent only what is new, with what was added before it", async () => {
    const { client, sent } = keeper();
    await client.add("note");
    await client.add({ text: "", sources: [{ label: "a.txt", text: "data" }] });
    expect((await client.chat("1")).text).toBe("turn 1");
    await client.chat("2");
    expect(sent.map((request) => request.system)).toEqual(["Be brief.", "Be brief."]);
    expect(sent[0]?.text).toMatch(/^note\n\nUntrusted sources.*\n.*a\.txt.*\n\n1$/);
    expect(sent[1]?.text).toBe("2");
  });

  test("L6 what was added stays until a turn with it completes", async () => {
    const { client, sent } = keeper();
    await client.add("note");
    const controller = new AbortController();
    const running = client.stream("1", { signal: controller.signal });
    await running.next();
    controller.abort();
    expect(await codeOf(running.next())).toBe("aborted");
    await client.chat("2");
    expect(sent.at(-1)?.text).toBe("note\n\n2");
  });

  test("L6 what is added while it answers goes with the next; a second try of one turn has nothing of the first", async () => {
    const { client, sent } = keeper();
    await client.add("note");
    const running = client.stream("1");
    await running.next();
    await client.add("later");
    while (!(await running.next()).done);
    await client.add("Give JSON");
    const other = z.object({ other: z.string() });
    expect(await codeOf(client.ask("2", other, { repair: true }))).toBe("answer_invalid");
    await client.chat("3");
    expect(sent.map((request) => request.text)).toEqual([
      ...["note\n\n1", "later\n\nGive JSON\n\n2", expect.stringMatching(/^That does not fit/)],
      "later\n\nGive JSON\n\n3",
    ]);
  });

  test("L4 has no editor: /undo and /compact say so, and /help lists them", async () => {
    const { client } = keeper();
    expect(client.editor).toBeNull();
    const set = commandSet([helpCommand(), undoCommand(), compactCommand()]);
    expect(await codeOf(runCommand(client, set, "/undo"))).toBe("command_unavailable");
    expect(await codeOf(runCommand(client, set, "/compact"))).toBe("command_unavailable");
    expect(await runCommand(client, set, "/help")).toMatchObject({ text: expect.stringContaining("/undo") });
    expect(await codeOf(client.applyPolicyNow())).toBe("capability_missing");
  });

  test("L4 may have one of its own, which is found by asking", async () => {
    const dropped: number[] = [];
    const { client } = keeper({
      read: async () => ({ revision: "r", summary: null, exchanges: [] }),
      dropLast: async (_, count) => {
        dropped.push(count);
        return [{ id: "x", messages: [{ role: "user", text: "hi" }], bytes: 2 }];
      },
      summarize: async () => {},
    });
    expect(await runCommand(client, commandSet([undoCommand()]), "/undo")).toMatchObject({ text: "Took back: hi" });
    expect(dropped).toEqual([1]);
  });

  test("L4 an edit of its own holds: the next turn and a snapshot go on from it", async () => {
    const { client } = keeper("own");
    for (const text of ["1", "2", "3"]) await client.chat(text);
    expect(await runCommand(client, commandSet([undoCommand()]), "/undo")).toMatchObject({ text: "Took back: 3" });
    expect((await client.snapshot()).conversation).toMatchObject({ state: ["1", "2"] });
    expect((await client.chat("3 again")).text).toBe("turn 3");
    const { revision } = (await client.editor?.read()) ?? { revision: "" };
    await client.editor?.summarize(revision, "1", "so far");
    expect((await client.chat("4")).text).toBe("turn 3");
    const late = client.editor?.dropLast(revision, 1);
    await client.clear();
    await late;
    expect((await client.snapshot()).conversation).toMatchObject({ state: null });
  });

  test("L3 /clear says so where there is nothing to clear", async () => {
    const { client, closed } = keeper();
    expect(await client.clear()).toBe(false);
    expect(closed).toEqual([]);
    await client.add("note");
    expect(await client.clear()).toBe(true);
    const running = client.stream("1");
    await running.next();
    expect(await client.clear()).toBe(true);
    await running.return({ text: "", usage: null, kept: false, policy: null });
    expect(await client.clear()).toBe(false);
  });

  test("L6 a call that comes while the old session closes finds the restored conversation, and only it", async () => {
    const from = keeper();
    await from.client.chat("1");
    await from.client.add("restored note");
    const snapshot = await from.client.snapshot();
    const [begun, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { client, sent } = keeper(undefined, () => {
      begun.resolve();
      return closing.promise;
    });
    await client.chat("x");
    await client.add("old note");
    const restoring = client.restore(snapshot);
    await begun.promise;
    expect((await client.chat("2")).text).toBe("turn 2");
    await client.add("new note");
    closing.resolve();
    await restoring;
    await client.chat("3");
    expect(sent.slice(1).map((request) => request.text)).toEqual(["restored note\n\n2", "new note\n\n3"]);
  });

  test("§8.25 /clear opens a new conversation and closes the old one; setTools and what is not in its power are refused", async () => {
    const { client, closed, provider } = keeper();
    await client.chat("1");
    expect(await client.clear()).toBe(true);
    expect(closed).toEqual([["1"]]);
    expect((await client.chat("2")).text).toBe("turn 1");
    expect(() => client.setTools([])).toThrow("take tools");
    const model = sessionModel(provider);
    expect(() => createChat({ model, transcript: memoryTranscript() })).toThrow("keeps the conversation itself");
    expect(() => createChat({ model, policy: truncate({ exchanges: 1 }) })).toThrow("keeps the conversation itself");
    expect(() => createChat({ model, policy: compact() })).toThrow("cannot shorten it when told");
  });

  test("L6 a clear while it answers ends that exchange", async () => {
    const { client, sent } = keeper();
    const running = client.stream("1");
    await running.next();
    await client.clear();
    for (;;) {
      const next = await running.next();
      if (!next.done) continue;
      expect(next.value).toMatchObject({ text: "turn 1", kept: false });
      break;
    }
    await client.chat("2");
    expect(sent.length).toBe(2);
  });

  test("L6 a snapshot has the provider's own state, and is for that provider", async () => {
    const from = keeper();
    await from.client.chat("1");
    await from.client.add("note");
    const snapshot = await from.client.snapshot();
    const to = keeper();
    await to.client.restore(JSON.parse(JSON.stringify(snapshot)));
    expect((await to.client.chat("2")).text).toBe("turn 2");
    expect(to.sent[0]?.text).toBe("note\n\n2");
    const other = createChat({ model: sessionModel({ ...from.provider, provider: "other" }) });
    expect(await codeOf(other.restore(snapshot))).toBe("snapshot_invalid");
    const { conversation } = snapshot;
    for (const wrong of [{ pending: [{ role: "user" }] }, { pending: null }, { provider: 1 }]) {
      const broken = { ...snapshot, conversation: { ...conversation, ...wrong } };
      expect(await codeOf(from.client.restore(broken))).toBe("snapshot_invalid");
    }
  });

  test("L6 calls take effect in their order: one that comes while a snapshot is read is made on what it restores", async () => {
    const { client, sent } = keeper();
    await client.chat("1");
    const snapshot = await client.snapshot();
    await client.clear();
    const calls = [client.restore(snapshot), client.add("added"), client.chat("2")];
    const [, , answer] = await Promise.all(calls);
    expect(answer).toMatchObject({ text: "turn 2", kept: true });
    expect(sent.at(-1)?.text).toBe("added\n\n2");
  });

  test("L6 an answer that ask cannot use is taken back from the provider too, and is in no snapshot", async () => {
    const { client } = keeper();
    await client.chat("1");
    const before = await client.snapshot();
    expect(await codeOf(client.ask("Give JSON", z.object({ other: z.string() })))).toBe("answer_invalid");
    expect((await client.snapshot()).conversation).toEqual(before.conversation);
    expect((await client.chat("2")).text).toBe("turn 2");
  });

  test("L6 ask goes by instruction; a summary is asked for in a session of its own", async () => {
    const { client, sent, closed, provider } = keeper();
    expect(await client.ask("Give JSON", z.object({ n: z.number() }))).toEqual({ n: 1 });
    expect(sent[0]?.system).toContain("Answer with one JSON value");
    const long = { id: "x", messages: [{ role: "user" as const, text: "long ".repeat(20) }], bytes: 100 };
    const summaries: string[] = [];
    const editor: TranscriptEditor = {
      read: async () => ({ revision: "r", summary: null, exchanges: [long, { ...long, id: "y" }] }),
      dropLast: async () => [],
      summarize: async (_revision, through, text) => void summaries.push(`${through}: ${text}`),
    };
    const open = provider.openSession;
    const model = sessionModel({ ...provider, openSession: (state) => ({ ...open(state), editor }) });
    const editing = createChat({ model, policy: compact({ keep: 1, at: Infinity }) });
    await editing.applyPolicyNow();
    expect(summaries).toEqual(["x: turn 1"]);
    expect(closed).toHaveLength(1);
  });
});
