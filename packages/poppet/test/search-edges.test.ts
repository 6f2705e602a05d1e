import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { defineTool, utf8Length } from "@poppet/chat";
import { call, finish, say, scriptedModel, think } from "@poppet/chat/testing";
import fc from "fast-check";
import * as v from "valibot";
import { excerptsOf } from "../src/sessions/excerpt.ts";
import { openStore } from "../src/store/sqlite.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

describe("C10 words in mixed and long text", () => {
  const far = "xx ".repeat(120);
  const cases: readonly (readonly [text: string, query: string, shown: string])[] = [
    ["C言語を学ぶ", "C言語", "C言語を学ぶ"],
    ["C言語を学ぶ", "言語", "C言語"],
    ["東京towerへ行く", "tower", "東京towerへ"],
    ["東京towerへ行く", "東京tower", "東京towerへ"],
    ["コーヒーbreakです", "break", "ーbreakで"],
    ["すごーーい", "すごー", "すごーーい"],
    ["データbase設計", "ータbase設", "データbase設計"],
    ["𠮷野家で", "野家", "𠮷野家"],
    ["iPhone을 샀다", "iphone을", "iPhone을"],
    ["제3회", "3회", "제3회"],
    ["Người Việt Nam", "nguoi viet", "Người Việt"],
    ["Thành phố Huế", "hue", "Huế"],
    ["re\u0301sume\u0301", "résumé", "résumé"],
    ["résumé", "re\u0301sume\u0301", "résumé"],
    ["Η ΟΔΟΣ ΕΙΝΑΙ", "οδοσ", "ΟΔΟΣ"],
    ["ЁЖИК", "ежик", "ЁЖИК"],
    ["क्षत्रिय हैं", "क्षत्रिय", "क्षत्रिय"],
    ["שלום עולם", "עולם", "עולם"],
    ["👩‍🚀 flies 😀🇩🇪", "flies", "👩‍🚀 flies 😀🇩🇪"],
    ["a\0b\u0007c", "b", "a b c"],
    ["x\u202eevil\u2066", "evil", "evil"],
    ["ＦＵＬＬ width", "full", "ＦＵＬＬ"],
    ["ｶﾞｰﾄﾞ下", "ガード", "ｶﾞｰﾄﾞ下"],
    ["ไม่มีน้ำแข็ง", "น้ำ", "น้ำแข็ง"],
    ["İstanbul'da", "istanbul", "İstanbul'da"],
  ];

  test("each is found, and the excerpt shows it although it stands far behind", async () => {
    using folder = temporaryFolder();
    const texts = cases.map(([text]) => text);
    const assistant = await testAssistant({ home: folder.path, model: texts.map((text) => `${far}${text}`) });
    const asked: string[] = [];
    for (const _ of texts) asked.push((await ask(assistant, "q")).sessionId);
    for (const [i, [, query, shown]] of cases.entries()) {
      const { matches } = await assistant.search(query);
      const match = matches.find((one) => one.sessionId === asked[i]);
      expect([query, match?.excerpt]).toEqual([query, expect.stringContaining(shown)]);
    }
    await assistant.close();
  });

  test("what is no part of a word is not found", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, model: ["東京towers", "C言語"] });
    for (const text of ["one", "two"]) await ask(assistant, text);
    for (const query of ["tower", "京都", "言C", "C++語"]) expect((await assistant.search(query)).matches).toEqual([]);
    await assistant.close();
  });

  test("a message of 1 MB is indexed and shown around its last word, and a query of 256 characters finds itself", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, contextWindow: 1_000_000 });
    const word = "w".repeat(256);
    const long = `${"lorem ipsum 東京 dolor 😀 ".repeat(35_000)}${word}`;
    expect(utf8Length(long)).toBeGreaterThan(1_000_000);
    const { sessionId } = await ask(assistant, long);
    for (const query of [word, "lorem", "dolor"]) {
      const { matches } = await assistant.search(query);
      expect(matches).toMatchObject([{ sessionId, excerpt: expect.stringContaining(query.slice(0, 180)) }]);
    }
    await assistant.close();
  });
});

describe("C10 queries that are nearly syntax, or nearly nothing", () => {
  const said = `needle ${"a b c d ".repeat(8)}${"天".repeat(256)}`;
  const cases: readonly (readonly [query: string, found: boolean])[] = [
    ...["needle*", "^needle", "-needle", "+needle", "needle\0needle", "NEEDLE", "(needle)", "needle)", '"needle'].map(
      (query) => [query, true] as const,
    ),
    ...["NOT needle", "needle NOT b", "needle AND", "text:needle", "{text}: needle", "need*", "needle + x"].map(
      (query) => [query, false] as const,
    ),
    // Of 256 characters.
    ...["a ".repeat(128).trim(), "天".repeat(256)].map((query) => [query, true] as const),
    ...["(".repeat(256), '"'.repeat(256), "a".repeat(256)].map((query) => [query, false] as const),
    // Terms without anything to find are ignored, and a query of only such finds nothing.
    ...["needle \u037a", "needle \u0301", "needle \ud83d", "needle 😀 !"].map((query) => [query, true] as const),
    ...["\u037a", "\u0301", "\ud83d", "😀", "🇩🇪 !"].map((query) => [query, false] as const),
  ];

  test("are text like any other", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    await ask(assistant, said);
    for (const [query, found] of cases) {
      const { matches, truncated } = await assistant.search(query);
      expect([query, matches.length, truncated]).toEqual([query, found ? 1 : 0, false]);
    }
    await assistant.close();
  });
});

describe("C10 what is covered", () => {
  test("not failed or interrupted input, intermediate text, reasoning, tool traffic or continuation data", async () => {
    using folder = temporaryFolder();
    const tool = defineTool({
      ...{ name: "look", description: "", input: v.object({ q: v.string() }), inputJsonSchema: {} },
      run: async () => "resultword",
    });
    const model = scriptedModel(
      [
        [think("reasonword"), say("middleword"), call("look", { q: "argumentword" }), finish("tool-calls")],
        [say("finalword"), finish("stop", null, ["continuationword"])],
        [say("partword"), finish("length")],
        [say("brokenword"), "hang"],
      ],
      { provider: "openai", modelId: "test-model" },
    );
    const assistant = await testAssistant({ home: folder.path, model, tools: [tool] });
    const first = await ask(assistant, "askedword");
    const failed = await ask(assistant, "failedword", { session: first.sessionId });
    const stop = new AbortController();
    const stopped = await ask(assistant, "stoppedword", {
      session: first.sessionId,
      signal: stop.signal,
      onEvent: (event) => event.type === "text" && stop.abort(),
    });
    expect([failed.outcome.state, stopped.outcome.state]).toEqual(["failed", "interrupted"]);
    const hidden = ["reason", "middle", "argument", "result", "continuation", "part", "broken", "failed", "stopped"];
    for (const word of hidden) expect((await assistant.search(`${word}word`)).matches).toEqual([]);
    for (const word of ["asked", "final"]) expect((await assistant.search(`${word}word`)).matches).toHaveLength(1);
    await assistant.close();
  });

  test("§8.13 an index that lags by more than one batch is caught up before the answer", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    const { sessionId } = await ask(assistant, "first");
    const store = await openStore(`${folder.path}/poppet.db`);
    const ids = { newId: () => Bun.randomUUIDv7(), now: () => 1 };
    const transcript = storedTranscript(store, sessionId, ids);
    const expected = await transcript.tip();
    const content = Array.from({ length: 1_201 }, (_, i) => ({ role: "user" as const, text: `bulk number${i}` }));
    await transcript.commit({ expected, parent: expected, exchange: "bulk", content });
    for (const n of [1_200, 0, 499, 500, 1_000]) {
      expect((await assistant.search(`number${n}`)).matches).toMatchObject([{ excerpt: `bulk number${n}` }]);
    }
    const { matches, truncated } = await assistant.search("bulk");
    expect([matches.length, truncated]).toEqual([10, true]);
    expect(matches.map((one) => one.messageId)).toEqual(matches.map((one) => one.messageId).sort());
    store.close();
    await assistant.close();
  });

  test("§8.13 an index that is damaged while it is open is made again", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    await ask(assistant, "early bird");
    const path = `${folder.path}/search.db`;
    const other = new Database(path);
    other.run("pragma wal_checkpoint(truncate)");
    other.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 0);
    writeFileSync(path, bytes);
    for (let n = 0; n < 2; n++) {
      expect((await ask(assistant, `late worm ${n}`)).outcome.state).toBe("completed");
      expect((await assistant.search("early")).matches).toHaveLength(1);
      expect((await assistant.search("late")).matches).toHaveLength(n + 1);
    }
    await assistant.close();
  });
});

describe("C10 the byte budget", () => {
  const heavy = [
    '"\\'.repeat(400),
    "😀".repeat(300),
    "👩‍🚀e\u0301".repeat(200),
    "\u0001\u0085".repeat(300),
    "é漢".repeat(300),
  ];

  test("at 1024 and a byte more or less, with the widest titles and texts, one match at least and no half of anything", async () => {
    using folder = temporaryFolder();
    const writing = await testAssistant({ home: folder.path });
    for (const text of heavy) {
      const { sessionId } = await ask(writing, `${text} needle ${text}`);
      await writing.rename(sessionId, text.replace(/[\p{Cc}]/gu, "") || "title");
    }
    await writing.close();
    for (const toolBytes of [1024, 1025, 1026, 1027, 1100, 1536, 3000, 16_384]) {
      const assistant = await testAssistant({ home: folder.path, settings: { toolBytes } });
      for (const query of ["needle", "e", "漢", "answer"]) {
        const result = await assistant.search(query);
        const text = `${JSON.stringify(result)}\n`;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(toolBytes);
        expect(text).not.toMatch(/\\ud[89a-f]|\ufffd/);
        if (query === "needle") expect(result.matches.length).toBeGreaterThan(0);
      }
      await assistant.close();
    }
  });

  test("it is inclusive: a result of exactly that many bytes is whole, one byte less makes it smaller", async () => {
    using folder = temporaryFolder();
    const writing = await testAssistant({ home: folder.path });
    for (let n = 0; n < 8; n++) await ask(writing, `needle ${"é".repeat(300)} ${n}`);
    await writing.close();
    const resultWithin = async (toolBytes: number) => {
      const assistant = await testAssistant({ home: folder.path, settings: { toolBytes } });
      const result = await assistant.search("needle");
      await assistant.close();
      return { result, bytes: Buffer.byteLength(`${JSON.stringify(result)}\n`) };
    };
    // Cut by the length of the excerpts, and by the number of matches.
    for (const toolBytes of [16_384, 4096, 1536]) {
      const { result, bytes } = await resultWithin(toolBytes);
      expect((await resultWithin(bytes)).result).toEqual(result);
      expect((await resultWithin(bytes - 1)).bytes).toBeLessThan(bytes);
    }
  });
});

describe("C10 laws of the excerpt", () => {
  const words = fc.constantFrom(
    "needle",
    "Résumé",
    "北京",
    "x",
    "😀",
    "👩‍🚀",
    "e\u0301",
    "don't",
    "\n\n",
    "\ud83d",
    "ー",
    "a\tb",
  );
  const texts = fc.array(words, { maxLength: 60, size: "max" });

  test("one line, whole characters, at most so many code points; it begins or ends where the text does, or says so", () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom("", " "),
        words,
        fc.integer({ min: 1, max: 60 }),
        (list, gap, term, length) => {
          const excerpt = excerptsOf(list.join(gap), [term])(length);
          expect(excerpt.isWellFormed()).toBe(true);
          expect([...excerpt].length).toBeLessThanOrEqual(length + 2);
          expect(excerpt).not.toMatch(/[\n\t]/);
          if (!excerpt.startsWith("…") && !excerpt.endsWith("…")) {
            const whole = list.join(gap).toWellFormed().normalize("NFC");
            expect(excerpt).toBe(whole.replace(/\s+/g, " ").trim());
          }
        },
      ),
    );
  });

  test("a term is found wherever it stands in a long text, over the pieces in which that is read too", () => {
    const fillers = ["x ", "天", "é ", "word, ", "😀"];
    const terms = ["needle", "don't", "北京市", "C言語", "e\u0301-à.é", "野𠮷", "𝒳𝒴𝒵"];
    for (const filler of fillers) {
      for (const term of terms) {
        for (let length = 8_180; length <= 8_196; length++) {
          const before = filler.repeat(Math.ceil(length / filler.length)).slice(0, length);
          const text = `${before} ${term} ${filler.repeat(9_000)}`;
          expect(excerptsOf(text, [term])(40)).toContain(` ${term.normalize("NFC")} `);
        }
      }
    }
  });

  test("a term that stands in the text stands in the excerpt", () => {
    fc.assert(
      fc.property(
        fc.array(words),
        fc.constantFrom("needle", "résumé", "北京", "DON'T"),
        texts,
        (before, term, after) => {
          const excerpt = excerptsOf(`${before.join(" ")} ${term} ${after.join(" ")}`, [term])(30);
          const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
          expect(plain(excerpt)).toContain(plain(term));
        },
      ),
    );
  });
});
