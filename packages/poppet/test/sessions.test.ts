import { describe, expect, test } from "bun:test";
import { systemClock } from "@poppet/chat";
import { titleOf } from "../src/sessions/title.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

describe("C2 the list of sessions", () => {
  test("has the newest activity first, and pages", async () => {
    using folder = temporaryFolder();
    let now = 0;
    const clock = { ...systemClock, now: () => ++now };
    const assistant = await testAssistant({ home: folder.path, clock });
    const ids: string[] = [];
    for (const text of ["one", "two", "three"]) ids.push((await ask(assistant, text)).sessionId);
    await ask(assistant, "again", { session: ids[0] ?? "" });
    const order = (list: readonly { title: string | null }[]) => list.map((one) => one.title);
    expect(order(await assistant.sessions({ limit: 10 }))).toEqual(["one", "three", "two"]);
    const page = await assistant.sessions({ limit: 2 });
    expect(order(page)).toEqual(["one", "three"]);
    expect(order(await assistant.sessions({ limit: 2, before: page[1]?.id ?? "" }))).toEqual(["two"]);
    await assistant.close();
  });

  test("C2 needs neither a model nor a login", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, settings: { provider: null, model: null } });
    expect(await assistant.sessions({ limit: 10 })).toEqual([]);
    expect(await assistant.search("x")).toEqual({ matches: [], truncated: false });
    await assistant.close();
  });

  test("C3 says where a session stands by its latest run, whatever came of it", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, model: ["One.", ""] });
    const { sessionId } = await ask(assistant, "first");
    expect(await assistant.latest(sessionId)).toMatchObject({
      session: { id: sessionId, title: "first" },
      run: { questions: ["first"], answer: "One.", error: null },
    });
    const { outcome } = await ask(assistant, "second", { session: sessionId });
    expect(outcome.state).toBe("failed");
    expect((await assistant.latest(sessionId)).run).toMatchObject({
      questions: ["second"],
      answer: null,
      error: { code: "answer_empty" },
    });
    await expect(assistant.latest("nonsense")).rejects.toMatchObject({ code: "session_unknown" });
    await assistant.close();
  });

  test("an unknown session names the nearest", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    const { sessionId } = await ask(assistant, "hi");
    const typo = `${sessionId.slice(0, -1)}${sessionId.endsWith("0") ? "1" : "0"}`;
    await expect(assistant.show(typo)).rejects.toMatchObject({
      code: "session_unknown",
      message: expect.stringContaining(sessionId),
    });
    await expect(assistant.show("nonsense")).rejects.toMatchObject({ code: "session_unknown" });
    await expect(ask(assistant, "hi", { session: "nonsense" })).rejects.toMatchObject({ code: "session_unknown" });
    await assistant.close();
  });
});

describe("C9 titles", () => {
  test("come from the first prompt: one line, at most 80 code points", async () => {
    expect(titleOf("  plan\n\ta\u0007 trip\u2028now\rthen\u0085and ")).toBe("plan a trip now then and");
    expect(titleOf("\x1b[31mred\x1b[0m \x9b1mbold \x1b]0;name\x07 \x1bPq#0\x1b\\end")).toBe("red bold end");
    expect(titleOf("\x1b[31m")).toBeNull();
    expect([...(titleOf("😀".repeat(100)) ?? "")]).toHaveLength(80);
    expect(titleOf("\u202eabc\u2066")).toBe("abc");
    expect(titleOf("a\ud800b")).toBe("a\ufffdb");
    expect(titleOf(" \n\0")).toBeNull();
    expect(titleOf(`${" ".repeat(10_000)}late`)).toBe("late");
  });

  test("a rename changes neither activity time nor order, needs no model and survives a restart", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    const first = await ask(assistant, "one");
    const before = await assistant.show(first.sessionId);
    await ask(assistant, "two");
    const renamed = await assistant.rename(first.sessionId, "  Weekly\nreview ");
    expect(renamed).toMatchObject({ title: "Weekly review", titleSource: "user" });
    await assistant.close();
    const again = await testAssistant({ home: folder.path, settings: { provider: null, model: null } });
    const after = await again.show(first.sessionId);
    expect(after.session).toMatchObject({ title: "Weekly review", updatedAt: before.session.updatedAt });
    expect(after.messages).toEqual(before.messages);
    expect((await again.sessions({ limit: 5 })).map((one) => one.title)).toEqual(["two", "Weekly review"]);
    await expect(again.rename(first.sessionId, " \n ")).rejects.toMatchObject({ code: "title_invalid" });
    await again.close();
  });
});
