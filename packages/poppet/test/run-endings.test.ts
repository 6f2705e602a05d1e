import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { ChatError, systemClock } from "@poppet/chat";
import { say } from "@poppet/chat/testing";
import type { Assistant } from "../src/assistant.ts";
import { ask, begin, temporaryFolder, testAssistant } from "./assistant.ts";

test.each<[string, (assistant: Assistant, session: string) => Promise<unknown>]>([
  ["chat sessions", (assistant) => assistant.sessions({ limit: 1 })],
  ["chat show", (assistant, session) => assistant.show(session)],
  ["another session's message", (assistant) => ask(assistant, "next")],
  ["its own session's message", (assistant, session) => ask(assistant, "next", { session })],
  ["the end of the process", (assistant) => assistant.close()],
])("C11 an ending that could not be written when it came is written before %s", async (_, occasion) => {
  using folder = temporaryFolder();
  await (await testAssistant({ home: folder.path })).close();
  using other = new Database(`${folder.path}/poppet.db`);
  let busy = true;
  const assistant = await testAssistant({
    home: folder.path,
    model: [[say("half"), new ChatError("provider_network", "The line is dead.")], "An answer."],
    store: {
      patienceMs: 0,
      onWrite(name, moment) {
        if (name === "finish" && moment === "before" && busy && !other.inTransaction) other.run("begin immediate");
      },
    },
  });
  const asked = begin(assistant, "first");
  await expect(asked.done).rejects.toMatchObject({ code: "store_busy" });
  const runs = () => other.query("select state, error_code from run").all();
  expect(runs()).toEqual([{ state: "running", error_code: null }]);
  other.run("rollback");
  busy = false;
  await occasion(assistant, await asked.session);
  expect(runs()[0]).toEqual({ state: "failed", error_code: "provider_network" });
  await assistant.close();
});

test("§8.5 who waits for a turn looks less and less often", async () => {
  using folder = temporaryFolder();
  const running = await testAssistant({ home: folder.path, model: [[say("x"), "hang"]] });
  const stopFirst = new AbortController();
  const first = begin(running, "first", { signal: stopFirst.signal });
  const session = await first.session;
  const pauses: number[] = [];
  const stop = new AbortController();
  const clock = {
    ...systemClock,
    after(ms: number, then: () => void) {
      if (pauses.push(ms) === 6) stop.abort();
      return systemClock.after(0, then);
    },
  };
  const waiting = await testAssistant({ home: folder.path, clock });
  expect((await ask(waiting, "second", { session, signal: stop.signal })).outcome.state).toBe("interrupted");
  expect(pauses).toEqual([50, 100, 200, 250, 250, 250]);
  stopFirst.abort();
  await first.done;
  await running.close();
  await waiting.close();
});
