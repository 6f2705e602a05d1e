import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import type { Clock } from "@poppet/chat";
import { finish, say } from "@poppet/chat/testing";
import { all, change } from "../../src/store/operation.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { ask, temporaryFolder, testAssistant } from "../assistant.ts";
import type { Order } from "./child.ts";

const rounds = Number(process.env.POPPET_TEST_ROUNDS ?? 200);
const seconds = Number(process.env.POPPET_TEST_SECONDS ?? 5);

interface Child {
  tell(order: Order): Promise<string>;
  end(): void;
}

function start(): Child {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/child.ts`], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  return {
    async tell(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      await child.stdin.flush();
      let said = "";
      while (!said.endsWith("\n")) said += decoder.decode((await reader.read()).value, { stream: true });
      return said.trim();
    },
    end: () => child.kill(),
  };
}

describe("§8.20 eight processes", () => {
  let children: Child[] = [];
  beforeAll(() => {
    children = Array.from({ length: 8 }, start);
  });
  afterAll(() => {
    for (const child of children) child.end();
  });

  test(`open a fresh folder at once, ${rounds} times, and each gets its row in`, async () => {
    using folder = temporaryFolder();
    for (let round = 0; round < rounds; round++) {
      const home = `${folder.path}/${round}`;
      const said = await Promise.all(children.map((child) => child.tell({ open: home })));
      expect([round, ...said]).toEqual([round, ...children.map(() => "ok")]);
    }
    const last = await openStore(`${folder.path}/${rounds - 1}/poppet.db`);
    expect(await last.read(() => all("select key from conversation"))).toHaveLength(8);
    last.close();
  }, 600_000);

  test(`write for ${seconds} seconds, and every row is there`, async () => {
    using folder = temporaryFolder();
    const said = await Promise.all(children.map((child) => child.tell({ write: folder.path, ms: seconds * 1000 })));
    const rows = said.map(Number);
    expect(said.filter((one) => !/^\d+$/.test(one))).toEqual([]);
    for (const count of rows) expect(count).toBeGreaterThan(0);
    const store = await openStore(`${folder.path}/poppet.db`);
    const [{ count } = { count: 0 }] = await store.read(() =>
      all<{ count: number }>("select count(*) as count from conversation"),
    );
    expect(count).toBe(rows.reduce((sum, one) => sum + one, 0));
    store.close();
  }, 600_000);
});

describe("§7 what others do to the database", () => {
  test("a reader that holds a long transaction stops no write, and sees what it began with", async () => {
    using folder = temporaryFolder();
    const store = await openStore(`${folder.path}/poppet.db`);
    const reader = new Database(store.path);
    reader.run("begin");
    const count = () => reader.query<{ n: number }, []>("select count(*) as n from conversation").get()?.n;
    expect(count()).toBe(0);
    // More in all than SQLite lets the log grow before it wants to write it back.
    const large = "x".repeat(16_384);
    for (let n = 0; n < 400; n++) {
      await store.write("test", () =>
        change("insert into conversation (key, settings, active_at) values ($1, $2, 1)", String(n), large),
      );
    }
    expect(count()).toBe(0);
    reader.run("commit");
    expect(count()).toBe(400);
    reader.close();
    store.close();
  });

  const harms: Record<string, (path: string) => void> = {
    deleted: (path) => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    },
    replaced: (path) => {
      const other = new Database(`${path}.other`);
      other.run("create table theirs (x)");
      other.close();
      renameSync(`${path}.other`, path);
    },
  };
  for (const [harm, inflict] of Object.entries(harms)) {
    test(`C11 a database ${harm} in mid-run: the answer is not called saved`, async () => {
      using folder = temporaryFolder();
      const assistant = await testAssistant({ home: folder.path, model: [[say("a"), say("b"), finish()]] });
      let done = false;
      const asked = ask(assistant, "hi", {
        onEvent: (event) => {
          if (event.type !== "text" || done) return;
          done = true;
          inflict(`${folder.path}/poppet.db`);
        },
      });
      await expect(asked).rejects.toMatchObject({ code: "store_moved" });
      await expect(assistant.sessions({ limit: 1 })).rejects.toMatchObject({ code: "store_moved" });
      await assistant.close();
    });
  }

  test("a clock that jumps an hour back and forth harms no run and no order of messages", async () => {
    using folder = temporaryFolder();
    const hour = 3_600_000;
    let calls = 0;
    const jumping: Clock = {
      now: () => 1_800_000_000_000 + (calls++ % 2) * hour,
      after(ms, then) {
        const timer = setTimeout(then, ms);
        return () => clearTimeout(timer);
      },
    };
    const assistant = await testAssistant({ home: folder.path, model: ["one", "two", "three"], clock: jumping });
    const first = await ask(assistant, "first");
    for (const text of ["second", "third"]) {
      expect((await ask(assistant, text, { session: first.sessionId })).outcome.state).toBe("completed");
    }
    const shown = await assistant.show(first.sessionId);
    expect(shown.messages.map((message) => message.text)).toEqual(["first", "one", "second", "two", "third", "three"]);
    await assistant.close();
  });
});
