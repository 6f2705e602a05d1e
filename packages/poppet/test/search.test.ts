import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { systemClock } from "@poppet/chat";
import type { Assistant } from "../src/assistant.ts";
import { excerptsOf } from "../src/sessions/excerpt.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

const utf8 = (value: unknown) => Buffer.byteLength(`${JSON.stringify(value)}\n`);

async function withMessages(texts: readonly string[], check: (assistant: Assistant, home: string) => Promise<void>) {
  using folder = temporaryFolder();
  const assistant = await testAssistant({ home: folder.path });
  for (const text of texts) await ask(assistant, text);
  await check(assistant, folder.path);
  await assistant.close();
}

const found = async (assistant: Assistant, query: string) =>
  (await assistant.search(query)).matches.filter((match) => match.role === "user").map((match) => match.title);

describe("C10 what a query finds", () => {
  const said = [
    "I don't think src/main.py #123 needs C++",
    "Ma résumé is at the café",
    "北京市的天气很好",
    "어제 서울에서 왔습니다",
    "これはかなです",
    "วันนี้กินข้าวกันไหม",
    "red OR blue NEAR( green",
    'a line about a col: and -x and "quoted" *stars*',
  ];

  const cases: [string, number[]][] = [
    ["don't", [0]],
    ["src/main.py", [0]],
    ["#123", [0]],
    ["C++", [0]],
    ["c", [0]],
    ["resume", [1]],
    ["RÉSUMÉ cafe", [1]],
    ["北京", [2]],
    ["天气", [2]],
    ["서울", [3]],
    ["かな", [4]],
    ["กินข้าว", [5]],
    ["OR", [6]],
    ["red OR blue", [6]],
    ["red OR black", []],
    ["NEAR(", [6]],
    ["col:", [7]],
    ["-x", [7]],
    ['"quoted"', [7]],
    ["*stars*", [7]],
    ["star*", []],
    ["*", []],
    ['^ " -', []],
    ["red", [6]],
    ["red green missing", []],
    ["text: red", []],
  ];

  test("terms are plain text, every one must match, in any script", () =>
    withMessages(said, async (assistant) => {
      for (const [query, expected] of cases) {
        expect([query, (await found(assistant, query)).sort()]).toEqual([
          query,
          expected.map((i) => said[i] ?? "").sort(),
        ]);
      }
    }));

  test("answers are found too, with session, message, time and role", () =>
    withMessages(["what is it"], async (assistant) => {
      const { matches, truncated } = await assistant.search("answer");
      expect(truncated).toBe(false);
      const [session] = await assistant.sessions({ limit: 1 });
      const shown = await assistant.show(session?.id ?? "");
      const answer = shown.messages[1];
      expect(matches).toEqual([
        {
          sessionId: session?.id ?? "",
          messageId: answer?.id ?? "",
          title: "what is it",
          createdAt: answer?.createdAt ?? 0,
          role: "assistant",
          excerpt: "An answer.",
        },
      ]);
    }));

  test("C10 the time is the message's own, as chat show gives it", async () => {
    using folder = temporaryFolder();
    let now = 0;
    const clock = { ...systemClock, now: () => (now += 1000) };
    const assistant = await testAssistant({ home: folder.path, clock });
    const { sessionId } = await ask(assistant, "what is an answer");
    const shown = await assistant.show(sessionId);
    const { matches } = await assistant.search("answer");
    expect(matches).toHaveLength(2);
    for (const { messageId, createdAt } of matches) {
      expect(shown.messages.find((message) => message.id === messageId)?.createdAt).toBe(createdAt);
    }
    await assistant.close();
  });

  test("a query that is empty, padded or of 257 characters is wrong usage; 256 are allowed", () =>
    withMessages([], async (assistant) => {
      for (const query of ["", "  ", " a", "a ", "x".repeat(257)]) {
        await expect(assistant.search(query)).rejects.toMatchObject({ code: "search_query", exitCode: 2 });
      }
      expect(await assistant.search("😀".repeat(256))).toEqual({ matches: [], truncated: false });
    }));
});

describe("C10 how much is given", () => {
  const many = Array.from({ length: 12 }, () => "same words");

  test("at most ten matches, ties in the order of message IDs", () =>
    withMessages(many, async (assistant) => {
      const { matches, truncated } = await assistant.search("same");
      expect(truncated).toBe(true);
      const ids = matches.map((match) => match.messageId);
      const all = await Promise.all((await assistant.sessions({ limit: 20 })).map((one) => assistant.show(one.id)));
      const everyId = all.map((one) => one.messages[0]?.id ?? "").sort();
      expect(ids).toEqual(everyId.slice(0, 10));
    }));

  test("the better match comes first", () =>
    withMessages(["needle and a great many other words that dilute it a good deal", "needle"], async (assistant) => {
      expect(await found(assistant, "needle")).toEqual(["needle", expect.stringContaining("dilute")]);
    }));

  test("the whole output stays within POPPET_TOOL_BYTES, escapes and the newline counted", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path });
    for (let n = 0; n < 10; n++) await ask(assistant, `${'"😀\\\t'.repeat(60)} word ${"é\u0001".repeat(100)}`);
    await assistant.close();
    for (const toolBytes of [1024, 1500, 2000, 4096, 16_384]) {
      const bounded = await testAssistant({ home: folder.path, settings: { toolBytes } });
      const result = await bounded.search("word");
      expect(utf8(result)).toBeLessThanOrEqual(toolBytes);
      expect(result.matches.length).toBeGreaterThan(0);
      if (toolBytes < 16_384) expect(result.truncated).toBe(true);
      await bounded.close();
    }
  });
});

describe("§8.13 the index", () => {
  test("one that lags is caught up before the answer", () =>
    withMessages(["early bird"], async (assistant, home) => {
      const db = new Database(`${home}/search.db`);
      db.run("insert into search (search) values ('delete-all')");
      db.run("update progress set through = 0");
      db.close();
      expect(await found(assistant, "early")).toEqual(["early bird"]);
    }));

  const damages: Record<string, (path: string) => void> = {
    "a table dropped": (path) => run(path, "drop table search"),
    "a newer version": (path) => run(path, "pragma user_version = 99"),
    "an index of another database": (path) => run(path, "update progress set through = 1, entry = 'other'"),
    garbage: (path) => writeFileSync(path, "garbage ".repeat(1000)),
    gone: (path) => rmSync(path),
    "a page overwritten": (path) => {
      run(path, "pragma wal_checkpoint(truncate)");
      const bytes = readFileSync(path);
      bytes.fill(0x5a, 4096);
      writeFileSync(path, bytes);
    },
  };
  const run = (path: string, sql: string) => {
    const db = new Database(path);
    db.run(sql);
    db.close();
  };

  for (const [name, damage] of Object.entries(damages)) {
    test(`damaged (${name}) it is made again, and answers are saved meanwhile`, async () => {
      using folder = temporaryFolder();
      const before = await testAssistant({ home: folder.path });
      await ask(before, "early bird");
      await before.close();
      damage(`${folder.path}/search.db`);
      const after = await testAssistant({ home: folder.path });
      expect((await ask(after, "late worm")).outcome.state).toBe("completed");
      expect(await found(after, "early")).toEqual(["early bird"]);
      expect(await found(after, "late")).toEqual(["late worm"]);
      await after.close();
    });
  }

  test("one that another process has made again in the meantime is kept", () =>
    withMessages(["early bird"], async (slow, home) => {
      const path = `${home}/search.db`;
      expect(await found(slow, "early")).toEqual(["early bird"]);
      damages["a page overwritten"]?.(path);
      // A change, so that nobody trusts the pages in memory.
      run(path, "pragma application_id = 1");
      const quick = await testAssistant({ home });
      expect(await found(quick, "early")).toEqual(["early bird"]);
      const made = statSync(path);
      // It still has the spoilt file open, finds it so, and goes over to the new one.
      expect(await found(slow, "early")).toEqual(["early bird"]);
      expect(await found(slow, "bird")).toEqual(["early bird"]);
      expect(statSync(path)).toMatchObject({ ino: made.ino, birthtimeMs: made.birthtimeMs });
      await quick.close();
    }));

  test("a search works while the index cannot be written, once it can again", () =>
    withMessages(["early bird"], async (assistant, home) => {
      const db = new Database(`${home}/search.db`);
      db.run("begin immediate");
      const asked = ask(assistant, "late worm");
      await Promise.resolve();
      setImmediate(() => db.run("rollback"));
      expect((await asked).outcome.state).toBe("completed");
      db.close();
      expect(await found(assistant, "late")).toEqual(["late worm"]);
    }));
});

describe("C10 the excerpt", () => {
  const excerptAround = (text: string, terms: readonly string[], length: number) => excerptsOf(text, terms)(length);
  const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`).join(" ");

  test("stands around the hit, on one line, cut at code points with a mark", () => {
    const text = `${words(200)}\n\nthe Needle's  eye ${words(200)}`;
    const excerpt = excerptAround(text, ["needle's"], 60);
    expect(excerpt).toContain("the Needle's eye");
    expect(excerpt.startsWith("…") && excerpt.endsWith("…")).toBe(true);
    expect([...excerpt].length).toBeLessThanOrEqual(62);
    expect(excerptAround("😀".repeat(100), ["x"], 10)).toBe(`${"😀".repeat(10)}…`);
  });

  test("finds whole words, without case and accents, and words inside unspaced text", () => {
    expect(excerptAround(`start ${words(50)} ART`, ["art"], 10)).toContain("ART");
    expect(excerptAround(`${words(50)} Résumé`, ["resume"], 10)).toContain("Résumé");
    expect(excerptAround(`${"天".repeat(100)}北京${"天".repeat(100)}`, ["北京"], 10)).toContain("北京");
  });
});
