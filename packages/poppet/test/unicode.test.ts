/** Odd characters through the assistant and its store: what is saved and shown is what was said, in whole characters. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { ChatError, defineTool } from "@poppet/chat";
import { call, finish, say, scriptedModel, think } from "@poppet/chat/testing";
import fc from "fast-check";
import * as v from "valibot";
import { titleOf } from "../src/sessions/title.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

const odd = [
  "\u001b[31m \u009b2J \u0007\b\u007f",
  "\u202eevil\u2066 \u200f\u061c",
  "👩‍🚀 🇩🇪 e\u0301 \u{10ffff} \ufeff \ufffe",
  "line\u2028para\u2029end\r\nlast\r",
  "'; drop table entry; -- \" \\ $1 ?1",
  " \t leading and trailing \n",
];

describe("§7 C11 what is said and answered", () => {
  test("comes back to the character, now and after a restart, and is sent on as it is", async () => {
    using folder = temporaryFolder();
    const options = { provider: "openai", modelId: "test-model" };
    const model = scriptedModel(
      odd.map((text) => `${text}\0!`),
      options,
    );
    const assistant = await testAssistant({ home: folder.path, model });
    const { sessionId } = await ask(assistant, odd[0] ?? "");
    for (const text of odd.slice(1)) await ask(assistant, text, { session: sessionId });
    const shown = await assistant.show(sessionId);
    expect(shown.messages.map((message) => message.text)).toEqual(odd.flatMap((text) => [text, `${text}\0!`]));
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    await assistant.close();
    const next = scriptedModel(["ok"], options);
    const again = await testAssistant({ home: folder.path, model: next });
    expect((await again.show(sessionId)).messages).toEqual([...shown.messages]);
    await ask(again, "next", { session: sessionId });
    expect(next.requests[0]?.messages.slice(0, -1).map((one) => ("text" in one ? one.text : ""))).toEqual(
      odd.flatMap((text) => [text, `${text}\0!`]),
    );
    await again.close();
  });

  test("halves of characters become U+FFFD everywhere alike: shown, saved, titled, told to tools and sent", async () => {
    using folder = temporaryFolder();
    const seen: unknown[] = [];
    const tool = defineTool({
      ...{ name: "echo", description: "", input: v.object({ text: v.string() }), inputJsonSchema: {} },
      async run(input) {
        seen.push(input);
        return "r\udc00";
      },
    });
    const model = scriptedModel(
      [
        [
          think("t\ud83d"),
          say("m\ud83d"),
          call("echo", { text: "a\ud83d" }, "id\ud83d"),
          call("no\ud83d", {}),
          finish(),
        ],
        [say("\ude00x"), say("y\ud83d"), finish("stop", null, ["c\ud83d"])],
        [new ChatError("provider_server", "broken \ud83d\0 end")],
        "ok",
      ],
      { provider: "openai", modelId: "test-model" },
    );
    const assistant = await testAssistant({ home: folder.path, model, tools: [tool] });
    const { sessionId, events } = await ask(assistant, "q\ud83d");
    expect(events.flatMap((event) => (event.type === "text" ? [event.delta] : [])).join("")).toBe(
      "m\ufffd\ufffdxy\ufffd",
    );
    await ask(assistant, "fails", { session: sessionId });
    await ask(assistant, "more", { session: sessionId });
    expect(seen).toEqual([{ text: "a\ufffd" }]);
    const shown = await assistant.show(sessionId);
    expect(shown.session.title).toBe("q\ufffd");
    expect(shown.messages.slice(0, 2).map((message) => message.text)).toEqual(["q\ufffd", "\ufffdxy\ufffd"]);
    expect(shown.runs[0]?.toolCalls.map((one) => [one.name, one.state, one.result]).sort()).toEqual([
      ["echo", "completed", '"r\ufffd"'],
      ["no\ufffd", "rejected", null],
    ]);
    expect(shown.runs[1]?.error?.message).toStartWith("broken \ufffd");
    expect(JSON.stringify(shown)).not.toMatch(/\\ud[89a-f]/);
    for (const request of model.requests) expect(JSON.stringify(request.messages)).not.toMatch(/\\ud[89a-f]/);
    using db = new Database(`${folder.path}/poppet.db`, { readonly: true });
    const bodies = db.query("select body from entry union all select data from continuation").all();
    expect(JSON.stringify(bodies)).not.toMatch(/ud83d|udc00|ude00/);
    await assistant.close();
  });

  test("an unknown ID of any characters is one clear error", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    for (const id of [...odd, "\0", "\ud83d", "x".repeat(100_000), "😀".repeat(200)]) {
      const asked = [assistant.show(id), assistant.rename(id, "t"), ask(assistant, "hi", { session: id })];
      for (const one of await Promise.allSettled(asked)) {
        expect(one).toMatchObject({ status: "rejected", reason: { code: "session_unknown" } });
        const message = one.status === "rejected" ? String(one.reason.message) : "";
        expect(message).not.toMatch(/[\n\r]/);
        expect(message.length).toBeLessThan(1_200);
        if (id.isWellFormed()) expect(message).not.toMatch(/\\ud[89a-f]/);
      }
    }
    expect(await assistant.sessions({ limit: 10 })).toEqual([]);
    await assistant.close();
  });
});

describe("C9 titles", () => {
  test("a cut at 80 code points leaves whole characters, whatever stands there", () => {
    for (const character of ["x", "é", "😀", "👩‍🚀", "e\u0301"]) {
      for (const before of [76, 77, 78, 79, 80]) {
        const text = `${"y".repeat(before)}${character}${character}`;
        expect(titleOf(text)).toBe([...text].slice(0, 80).join(""));
      }
    }
  });

  test("law: one line of at most 80 code points that steers nothing and can be seen, or none", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(...odd, "\ud83d", "\ude00", " ".repeat(90), "\u200b", "\u00ad", "\0", "word"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (list) => {
        const title = titleOf(list.join(""));
        if (title === null) return;
        expect(title.isWellFormed()).toBe(true);
        expect([...title].length).toBeLessThanOrEqual(80);
        expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        expect(title).toBe(title.trim());
        expect(title).toMatch(/[^\p{Default_Ignorable_Code_Point}\p{M}\s]/u);
        expect(titleOf(title)).toBe(title);
      }),
      { numRuns: 1_000 },
    );
  });

  test("what cannot be seen is no title", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    const { sessionId } = await ask(assistant, "\u200b\u00ad");
    expect((await assistant.show(sessionId)).session).toMatchObject({ title: null, titleSource: null });
    for (const title of ["\u200b", "\u00ad \u200d", "\u202e", "\u0301", "\0"]) {
      await expect(assistant.rename(sessionId, title)).rejects.toMatchObject({ code: "title_invalid", exitCode: 2 });
    }
    expect(await assistant.rename(sessionId, "👩‍🚀")).toMatchObject({ title: "👩‍🚀", titleSource: "user" });
    await assistant.close();
  });
});
