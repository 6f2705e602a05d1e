/** Sessions named by the beginning of their ID. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Operation } from "../src/store/operation.ts";
import { sessionsBeginning, shortId } from "../src/store/session-ids.ts";
import { findSession, insertSession } from "../src/store/sessions.ts";
import { openStore, type Store } from "../src/store/sqlite.ts";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

async function storeWith(path: string, sessions: readonly { readonly id: string; readonly title?: string }[]) {
  const store = await openStore(`${path}/poppet.db`);
  await store.write("accept", function* (): Operation<void> {
    for (const { id, title = null } of sessions) {
      yield* insertSession({
        ...{ id, agent: "main", channel: "cli", provider: null, model: null, workload: "general", title, now: 1 },
        ...{ skill: null, project: null },
      });
    }
  });
  return store;
}

/** The outcome in short: the ID that was found, or the error's code. */
async function found(store: Store, given: string): Promise<string> {
  try {
    return (await store.read(() => findSession(given))).id;
  } catch (thrown) {
    return (thrown as { readonly code: string }).code;
  }
}

const uuid = (digits: string) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** IDs that share much: the time of most is one of a few. */
const ids = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom("01a22e8a366f", "01a22e8a3670", "01a22e8b0000", "0fffffffffff"),
      fc.constantFrom("70ce", "7fff", "7000"),
      fc.string({ unit: fc.constantFrom(..."019af"), minLength: 16, maxLength: 16 }),
    )
    .map((parts) => uuid(parts.join(""))),
  { minLength: 1, maxLength: 12 },
);

describe("C2 a session's ID may be given by its beginning", () => {
  test("law: one that has it is found, several are ambiguous, none is unknown, in any case and with any dashes", async () => {
    const cases = fc.record({
      ids,
      which: fc.nat(),
      length: fc.integer({ min: 1, max: 36 }),
      upper: fc.boolean(),
      bare: fc.boolean(),
      last: fc.option(fc.constantFrom(..."0f7")),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ ids, which, length, upper, bare, last }) => {
        using folder = temporaryFolder();
        const store = await storeWith(
          folder.path,
          ids.map((id) => ({ id })),
        );
        const begun = (ids[which % ids.length] ?? "").slice(0, length);
        const beginning = last === null ? begun : begun.slice(0, -1) + last;
        const given = bare ? beginning.replaceAll("-", "") : beginning;
        const fits = ids.filter((id) => id.replaceAll("-", "").startsWith(beginning.replaceAll("-", "")));
        const expected = fits.length === 0 ? "session_unknown" : fits.length === 1 ? fits[0] : "session_ambiguous";
        expect(await found(store, upper ? given.toUpperCase() : given)).toBe(expected ?? "");
        store.close();
      }),
      { numRuns: 60 },
    );
  });

  test("law: what lists show names its session, is of 8 characters or more, and no shorter one would do", async () => {
    await fc.assert(
      fc.asyncProperty(ids, async (ids) => {
        using folder = temporaryFolder();
        const store = await storeWith(
          folder.path,
          ids.map((id) => ({ id })),
        );
        for (const id of ids) {
          const short = await store.read(() => shortId(id));
          expect(await found(store, short)).toBe(id);
          expect(short.length).toBeGreaterThanOrEqual(8);
          expect(short).not.toEndWith("-");
          const shorter = short.slice(0, -1);
          if (short.length > 8) expect(await found(store, shorter)).toBe("session_ambiguous");
        }
        store.close();
      }),
      { numRuns: 40 },
    );
  });

  test("an ambiguous one names the latest that have it, and ends as wrong usage", async () => {
    using folder = temporaryFolder();
    const sessions = ["1111", "2222", "3333", "4444"].map((end) => ({
      id: uuid(`01a22e8a366f70ce${end}${"0".repeat(12)}`),
      title: `Plan ${end}`,
    }));
    const store = await storeWith(folder.path, sessions);
    await expect(store.read(() => findSession("01A2"))).rejects.toMatchObject({
      ...{ code: "session_ambiguous", exitCode: 2 },
      message:
        'Several IDs begin with "01A2": 01a22e8a-366f-70ce-4 (Plan 4444), 01a22e8a-366f-70ce-3 (Plan 3333), 01a22e8a-366f-70ce-2 (Plan 2222) and more. Give more of the ID.',
    });
    await expect(store.read(() => findSession(""))).rejects.toMatchObject({ code: "session_unknown" });
    store.close();
  });

  test("it is found by an index, however many sessions there are", async () => {
    using folder = temporaryFolder();
    const store = await storeWith(folder.path, []);
    const asked: string[] = [];
    const operations = [sessionsBeginning("01a2", 3), shortId("01a2")];
    for (const operation of operations) {
      for (let next = operation.next(); !next.done; next = operation.next({ rows: [], changes: 0 })) {
        asked.push(next.value.sql);
      }
    }
    using db = new Database(store.path, { readonly: true });
    expect(asked.length).toBe(3);
    for (const sql of asked) {
      const args = [...sql.matchAll(/\$\d/g)].map(() => "1");
      const plan = db.prepare<{ detail: string }, string[]>(`explain query plan ${sql}`).all(...args);
      expect(plan.map((step) => step.detail).join()).toMatch(/^SEARCH session USING (COVERING )?INDEX/);
    }
    store.close();
  });

  test("in show, rename, send and the pages of the list; a run goes to the session that was meant", async () => {
    using folder = temporaryFolder();
    const assistant = await testAssistant({ home: folder.path, model: ["one", "two", "three"] });
    const first = await ask(assistant, "first");
    const second = await ask(assistant, "second");
    const [short = ""] = await assistant.shortIds([first.sessionId]);
    expect((await assistant.show(short)).session).toMatchObject({ id: first.sessionId, contextStart: first.messageId });
    expect(await assistant.rename(short, "named")).toMatchObject({ id: first.sessionId, title: "named" });
    expect((await ask(assistant, "more", { session: short })).sessionId).toBe(first.sessionId);
    const [next = ""] = await assistant.shortIds([first.sessionId]);
    expect((await assistant.sessions({ limit: 5, before: next })).map((one) => one.id)).toEqual([second.sessionId]);
    expect(await assistant.sessionsBeginning(short, 5)).toEqual([{ id: first.sessionId, title: "named" }]);
    await assistant.close();
  });
});
