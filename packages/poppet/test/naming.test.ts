import { describe, expect, test } from "bun:test";
import type { Model, ModelRequest } from "@poppet/chat";
import { finish, handClock, type ScriptedItem, type ScriptedStep, say, scriptedModel } from "@poppet/chat/testing";
import type { Assistant, Session } from "../src/assistant.ts";
import { openLocal } from "../src/local.ts";
import type { ModelChoice } from "../src/runs/run-turn.ts";
import { defaultChat } from "../src/settings.ts";
import { ask, temporaryFolder, testAssistant, testSettings } from "./assistant.ts";

/** A source of models without tools, of whose windows nothing is known. */
const unknown = { tools: [], window: async () => null };
const never = new AbortController().signal;
const prompt = "How do I plan the weekly review of my project?";
const usage = { inputTokens: 30, outputTokens: 4, totalTokens: 34 };
const named: ScriptedStep = [say("Weekly project"), say(" review"), finish("stop", usage)];
const allUsage = { ...usage, reasoningTokens: null, cachedInputTokens: null };

function scripted(...steps: readonly ScriptedStep[]) {
  return scriptedModel(steps, { provider: "openai", modelId: "test-model" });
}

/** Plays the steps, and calls `asked` when the title is being asked for. */
function modelThat(title: ScriptedStep, asked: (request: ModelRequest) => void | Promise<void>): Model {
  const model = scripted("An answer.", title);
  return {
    ...model,
    async *stream(request) {
      if (model.requests.length > 0) await asked(request);
      yield* model.stream(request);
    },
  };
}

async function session(assistant: Assistant, id: string): Promise<Session> {
  return (await assistant.show(id)).session;
}

describe("C9 a title by the model", () => {
  test("is asked for after the first answer: an excerpt of the prompt alone, with no tools", async () => {
    using folder = temporaryFolder();
    const model = scripted("An answer.", named);
    const assistant = await testAssistant({ home: folder.path, model });
    const { sessionId } = await ask(assistant, `${prompt}\n${"More of it. ".repeat(500)}`);
    expect(await session(assistant, sessionId)).toMatchObject({ titleSource: "prompt", namingAttempted: false });
    expect(await assistant.nameSession(sessionId, never)).toBe("Weekly project review");
    expect(await session(assistant, sessionId)).toMatchObject({
      ...{ title: "Weekly project review", titleSource: "model", namingAttempted: true, titleUsage: allUsage },
    });
    const [, request] = model.requests;
    expect(request).toMatchObject({ tools: [], maxOutputTokens: 1024 });
    expect(request?.messages).toHaveLength(1);
    const sent = JSON.stringify(request?.messages);
    expect(sent).toContain(`${prompt} More of it.`);
    expect(sent).not.toContain("An answer");
    expect(sent.length).toBeLessThan(600);
    await assistant.close();
  });

  test("is asked of the session's own provider and model, whatever the settings say by then", async () => {
    using folder = temporaryFolder();
    const choices: ModelChoice[] = [];
    const open = (provider: "openai" | "anthropic", model: string) =>
      openLocal({
        ...{ home: folder.path, settingsFolder: folder.path },
        settings: testSettings({ provider, model }),
        models: {
          ...unknown,
          async open(choice) {
            choices.push(choice);
            const opened = scriptedModel([named], { provider: choice.provider, modelId: choice.model });
            return {
              model: opened,
              contextWindow: null,
              maxOutputTokens: null,
              requestMs: 1000,
              close: async () => {},
            };
          },
        },
      });
    const first = await open("openai", "gpt-5");
    const { sessionId } = await ask(first, prompt);
    await first.close();
    const later = await open("anthropic", "claude-x");
    await later.nameSession(sessionId, never);
    expect(choices).toEqual(Array(2).fill({ provider: "openai", model: "gpt-5", sessionId }));
    await later.close();
  });

  test("leaves the run's usage, the activity, the order and what is sent later as they are", async () => {
    using folder = temporaryFolder();
    const clock = handClock(1_000);
    const model = scripted("An answer.", named, "Another.", "And one more.");
    const assistant = await testAssistant({ home: folder.path, model, clock });
    const { sessionId } = await ask(assistant, prompt);
    const before = await assistant.show(sessionId);
    clock.advance(5_000);
    await assistant.nameSession(sessionId, never);
    const after = await assistant.show(sessionId);
    expect([after.runs, after.messages]).toEqual([before.runs, before.messages]);
    expect(after.session.updatedAt).toBe(before.session.updatedAt);
    await ask(assistant, "other");
    clock.advance(1);
    await ask(assistant, "And then?", { session: sessionId });
    expect(JSON.stringify(model.requests[3]?.messages)).not.toContain("Weekly project review");
    await assistant.close();
  });

  test("is asked for once: not again after it came, failed, was refused or was cancelled", async () => {
    const titles: readonly (readonly [ScriptedStep, object])[] = [
      [named, { titleSource: "model" }],
      [[new Error("down")], { titleSource: "prompt", titleUsage: null }],
      [[say("Weekly")], { titleSource: "prompt", titleUsage: null }],
      [[say("I'm sorry, I can't."), finish("stop", usage)], { titleSource: "prompt", titleUsage: allUsage }],
      [[say("Weekly"), finish("content-filter", usage)], { titleSource: "prompt", titleUsage: allUsage }],
      [[say("Weekly"), finish("length", usage)], { titleSource: "prompt", titleUsage: allUsage }],
      [[say("Weekly plan\nThis is"), finish("length", null)], { title: "Weekly plan", titleUsage: null }],
      [[say("Weekly plan "), say("\nx".repeat(9_000)), finish()], { titleSource: "prompt", titleUsage: null }],
    ];
    for (const [title, expected] of titles) {
      using folder = temporaryFolder();
      const model = scripted("An answer.", title, "Another.", "Never asked for");
      const assistant = await testAssistant({ home: folder.path, model });
      const { sessionId } = await ask(assistant, prompt);
      await assistant.nameSession(sessionId, never);
      expect(await session(assistant, sessionId)).toMatchObject({ namingAttempted: true, ...expected });
      expect(await assistant.nameSession(sessionId, never)).toBeNull();
      expect((await ask(assistant, "Go on", { session: sessionId })).outcome.state).toBe("completed");
      expect(await assistant.nameSession(sessionId, never)).toBeNull();
      expect(model.requests).toHaveLength(3);
      await assistant.close();
    }
  });

  test("of one that thinks in its text is what follows the thinking, in one that thinks apart the text", async () => {
    using folder = temporaryFolder();
    const items: ScriptedItem[] = [{ type: "reasoning", section: 0, delta: "Title: no" }];
    const model = scripted("An answer.", [...items, say("<think>Title: no\n"), say("</think>\nWeekly plan"), finish()]);
    const assistant = await testAssistant({ home: folder.path, model });
    const { sessionId } = await ask(assistant, prompt);
    expect(await assistant.nameSession(sessionId, never)).toBe("Weekly plan");
    await assistant.close();
  });

  test("of a model in this process is read no further than it goes, as small ones ramble", async () => {
    const answers: readonly (readonly [ScriptedStep, string | null])[] = [
      [[say("Weekly "), say("plan\n"), "hang"], "Weekly plan"],
      [[say("Here it is:\n\nWeekly plan\nThis"), "hang"], "Weekly plan"],
      [[say("On and on. ".repeat(100)), "hang"], null],
      [[say("Weekly plan"), finish()], "Weekly plan"],
    ];
    for (const [answer, title] of answers) {
      using folder = temporaryFolder();
      const model = scriptedModel(["An answer.", answer], { provider: "local", modelId: "small" });
      const settings = { provider: "local", model: "small" } as const;
      const assistant = await testAssistant({ home: folder.path, model, settings });
      const { sessionId } = await ask(assistant, prompt);
      expect(await assistant.nameSession(sessionId, never)).toBe(title);
      await assistant.close();
    }
  });

  test("is saved as attempted before anything is sent, and also where the model cannot be opened", async () => {
    using folder = temporaryFolder();
    const seen: boolean[] = [];
    const assistant = await testAssistant({ home: folder.path });
    const { sessionId } = await ask(assistant, prompt);
    await assistant.close();
    const again = await testAssistant({
      home: folder.path,
      async opening() {
        seen.push(...(await again.sessions({ limit: 1 })).map((one) => one.namingAttempted));
        throw new Error("cannot be opened");
      },
    });
    expect(await again.nameSession(sessionId, never)).toBeNull();
    expect(seen).toEqual([true]);
    expect(await session(again, sessionId)).toMatchObject({ title: prompt, titleSource: "prompt" });
    await again.close();
  });

  test("comes only of the first answer: a failed run before it does not count, a second answer is too late", async () => {
    using folder = temporaryFolder();
    const model = scripted([new Error("down")], "An answer.", named);
    const assistant = await testAssistant({ home: folder.path, model });
    const { sessionId, outcome } = await ask(assistant, prompt);
    expect(outcome.state).toBe("failed");
    expect(await assistant.nameSession(sessionId, never)).toBeNull();
    expect(await session(assistant, sessionId)).toMatchObject({ namingAttempted: false });
    await ask(assistant, "Again, please", { session: sessionId });
    expect(await assistant.nameSession(sessionId, never)).toBe("Weekly project review");
    expect(JSON.stringify(model.requests[2]?.messages)).toContain(prompt);

    const late = await ask(assistant, "one");
    await ask(assistant, "two", { session: late.sessionId });
    expect(await assistant.nameSession(late.sessionId, never)).toBeNull();
    expect(await session(assistant, late.sessionId)).toMatchObject({ namingAttempted: false, title: "one" });
    await assistant.close();
  });

  test("is not asked for where the person named the session, nor with nameSessions off, nor of no session", async () => {
    using folder = temporaryFolder();
    const model = scripted("An answer.");
    const assistant = await testAssistant({ home: folder.path, model });
    const { sessionId } = await ask(assistant, prompt);
    await assistant.rename(sessionId, "Mine");
    expect(await assistant.nameSession(sessionId, never)).toBeNull();
    expect(await session(assistant, sessionId)).toMatchObject({ title: "Mine", namingAttempted: false });
    expect(await assistant.nameSession("nope", never)).toBeNull();
    await assistant.close();
    const off = await testAssistant({
      ...{ home: folder.path, model },
      settings: { chat: { ...defaultChat, nameSessions: false } },
    });
    const other = await ask(off, prompt);
    expect(await off.nameSession(other.sessionId, never)).toBeNull();
    expect(await session(off, other.sessionId)).toMatchObject({ namingAttempted: false, titleSource: "prompt" });
    expect(model.requests).toHaveLength(2);
    await off.close();
  });

  test("loses to a rename by another process during the request; what it cost is kept", async () => {
    using folder = temporaryFolder();
    const other = await testAssistant({ home: folder.path });
    let sessionId = "";
    const model = modelThat(named, async () => {
      await other.rename(sessionId, "Mine");
    });
    const assistant = await testAssistant({ home: folder.path, model });
    sessionId = (await ask(assistant, prompt)).sessionId;
    expect(await assistant.nameSession(sessionId, never)).toBeNull();
    expect(await session(other, sessionId)).toMatchObject({
      ...{ title: "Mine", titleSource: "user", namingAttempted: true, titleUsage: allUsage },
    });
    await assistant.close();
    await other.close();
  });

  test("asked for by two processes at once is one request", async () => {
    using folder = temporaryFolder();
    const models = [scripted("An answer.", named), scripted(named)] as const;
    const [one, two] = await Promise.all(models.map((model) => testAssistant({ home: folder.path, model })));
    if (!one || !two) throw new Error("no assistants");
    const { sessionId } = await ask(one, prompt);
    const titles = await Promise.all([one.nameSession(sessionId, never), two.nameSession(sessionId, never)]);
    expect(titles.toSorted()).toEqual(["Weekly project review", null].toSorted());
    expect(models[0].requests.length + models[1].requests.length).toBe(2);
    await one.close();
    await two.close();
  });

  test("has ten seconds, then the first title stays", async () => {
    using folder = temporaryFolder();
    const clock = handClock(1_000);
    const asked = Promise.withResolvers<AbortSignal>();
    const model = modelThat([say("Weekly"), "hang"], ({ signal }) => asked.resolve(signal));
    const assistant = await testAssistant({ home: folder.path, model, clock });
    const { sessionId } = await ask(assistant, prompt);
    const naming = assistant.nameSession(sessionId, never);
    const signal = await asked.promise;
    clock.advance(9_999);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(await naming).toBeNull();
    expect(signal.aborted).toBe(true);
    expect(clock.waiting).toBe(0);
    expect(await session(assistant, sessionId)).toMatchObject({
      title: prompt,
      namingAttempted: true,
      titleUsage: null,
    });
    await assistant.close();
  });

  test("ends at once when it is cancelled, also where the model does not listen", async () => {
    using folder = temporaryFolder();
    const stop = new AbortController();
    const deaf = Promise.withResolvers<void>();
    const model = modelThat(named, () => {
      stop.abort();
      return deaf.promise;
    });
    const assistant = await testAssistant({ home: folder.path, model });
    const { sessionId, outcome } = await ask(assistant, prompt);
    expect(outcome.state).toBe("completed");
    expect(await assistant.nameSession(sessionId, stop.signal)).toBeNull();
    expect(await session(assistant, sessionId)).toMatchObject({ title: prompt, titleUsage: null });
    await assistant.close();
    deaf.resolve();
  });
});

describe("C9 the model that answered names the session", () => {
  function counted() {
    const counts = { opened: 0, closed: 0 };
    const open = async () => {
      counts.opened++;
      const model = scripted(named);
      const close = async () => {
        counts.closed++;
      };
      return { model, contextWindow: null, maxOutputTokens: null, requestMs: 1000, close };
    };
    return { counts, models: { ...unknown, open } };
  }

  test("it is opened once for both, and closed with the assistant", async () => {
    using folder = temporaryFolder();
    const { counts, models } = counted();
    const assistant = await openLocal({
      home: folder.path,
      settingsFolder: folder.path,
      settings: testSettings(),
      models,
    });
    const { sessionId } = await ask(assistant, prompt);
    expect(await assistant.nameSession(sessionId, never)).toBe("Weekly project review");
    expect(counts).toEqual({ opened: 1, closed: 0 });
    await assistant.close();
    expect(counts).toEqual({ opened: 1, closed: 1 });
  });

  test("one that is in use when the assistant is closed is closed with it", async () => {
    using folder = temporaryFolder();
    const { counts, models } = counted();
    const stop = new AbortController();
    const deaf = Promise.withResolvers<void>();
    const open = async () => {
      const opened = await models.open();
      const model = modelThat(named, () => {
        stop.abort();
        return deaf.promise;
      });
      return { ...opened, model };
    };
    const assistant = await openLocal({
      home: folder.path,
      settingsFolder: folder.path,
      settings: testSettings(),
      models: { ...unknown, open },
    });
    const { sessionId } = await ask(assistant, prompt);
    await assistant.nameSession(sessionId, stop.signal);
    expect(counts).toEqual({ opened: 1, closed: 0 });
    await assistant.close();
    expect(counts.closed).toBe(1);
    deaf.resolve();
  });

  test("one of another session, and one that is needed twice at once, is opened anew; each is closed once", async () => {
    using folder = temporaryFolder();
    const { counts, models } = counted();
    const assistant = await openLocal({
      home: folder.path,
      settingsFolder: folder.path,
      settings: testSettings(),
      models,
    });
    await ask(assistant, "one");
    const { sessionId } = await ask(assistant, "two");
    expect(counts).toEqual({ opened: 2, closed: 1 });
    await Promise.all([assistant.nameSession(sessionId, never), ask(assistant, "three", { session: sessionId })]);
    expect(counts.opened - counts.closed).toBe(1);
    await assistant.close();
    expect(counts.closed).toBe(counts.opened);
  });

  test("one that cannot be closed fails no run of another session", async () => {
    using folder = temporaryFolder();
    const { counts, models } = counted();
    const open = async () => {
      const opened = await models.open();
      const place = counts.opened;
      return {
        ...opened,
        async close() {
          await opened.close();
          if (place === 1) throw new Error("the process is gone");
        },
      };
    };
    const assistant = await openLocal({
      home: folder.path,
      settingsFolder: folder.path,
      settings: testSettings(),
      models: { ...unknown, open },
    });
    await ask(assistant, "one");
    expect((await ask(assistant, "two")).outcome.state).toBe("completed");
    expect(counts).toEqual({ opened: 2, closed: 1 });
    await assistant.close();
    expect(counts.closed).toBe(2);
  });
});
