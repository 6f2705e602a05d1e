import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describeTranscript } from "@poppet/chat/testing";
import { tryLock } from "../src/store/lock.ts";
import { all, change } from "../src/store/operation.ts";
import { migrations, searchMigrations } from "../src/store/schema.ts";
import { insertSession } from "../src/store/sessions.ts";
import { openStore, type Store } from "../src/store/sqlite.ts";
import { storedTranscript } from "../src/store/transcript.ts";
import { temporaryFolder } from "./assistant.ts";

const newId = () => Bun.randomUUIDv7();

interface Place extends Disposable {
  readonly path: string;
  readonly sessionId: string;
  readonly stores: Store[];
}

/** A session in a database of its own; two who have it open have a connection each. */
async function newSession(): Promise<Place> {
  const folder = temporaryFolder();
  const path = `${folder.path}/poppet.db`;
  const store = await openStore(path);
  const sessionId = newId();
  const facts = { agent: "main", channel: "cli", provider: null, model: null, workload: "general" as const };
  await store.write("test", () =>
    insertSession({ ...facts, id: sessionId, title: null, skill: null, project: null, now: 1 }),
  );
  const stores = [store];
  const close = () => {
    for (const one of stores) one.close();
    folder[Symbol.dispose]();
  };
  return { path, sessionId, stores, [Symbol.dispose]: close };
}

describeTranscript<Place>(
  {
    make: newSession,
    async open({ path, sessionId, stores }) {
      const store = await openStore(path);
      stores.push(store);
      return storedTranscript(store, sessionId, { newId, now: () => 1 });
    },
    remove: (place) => place[Symbol.dispose](),
  },
  { describe, test, name: "L6 the transcript in the database" },
);

describe("§0 the database", () => {
  test("every statement in the source fits the schema, its placeholders in order", () => {
    const db = new Database(":memory:");
    for (const migration of [...migrations, ...searchMigrations]) db.run(migration.sql);
    let checked = 0;
    for (const file of readdirSync(`${import.meta.dir}/../src/store`)) {
      if (["schema.ts", "sqlite.ts", "migrate.ts"].includes(file)) continue;
      const source = readFileSync(`${import.meta.dir}/../src/store/${file}`, "utf8");
      const constants = Object.fromEntries(
        [...source.matchAll(/const (\w+) = `([^`]*)`/g)].map(([, name, text]) => [name, text]),
      );
      for (const [, , sql = ""] of source.matchAll(/(["`])((?:select|insert|update|delete|with|drop)\s[\s\S]*?)\1/g)) {
        const whole = sql.replace(/\$\{(\w+)\}/g, (_, name) => constants[name] ?? name);
        const numbers = [...new Set([...whole.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])))];
        expect(numbers).toEqual(numbers.map((_, i) => i + 1));
        db.prepare(whole).finalize();
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(35);
  });

  test("§0 the folder is made 0700 and the file 0600", async () => {
    using folder = temporaryFolder();
    const home = `${folder.path}/a/b`;
    (await openStore(`${home}/poppet.db`)).close();
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(`${home}/poppet.db`).mode & 0o777).toBe(0o600);
  });

  test("§8.20 is in WAL mode and synchronous", async () => {
    using folder = temporaryFolder();
    const store = await openStore(`${folder.path}/poppet.db`);
    const pragmas = await store.read(function* () {
      const mode = yield* all<{ journal_mode: string }>("pragma journal_mode");
      const sync = yield* all<{ synchronous: number }>("pragma synchronous");
      return [mode[0]?.journal_mode, sync[0]?.synchronous];
    });
    expect(pragmas).toEqual(["wal", 2]);
    store.close();
  });

  test("a write that throws leaves nothing of itself", async () => {
    using folder = temporaryFolder();
    const store = await openStore(`${folder.path}/poppet.db`);
    const failing = store.write("test", function* () {
      yield* change("insert into conversation (key, active_at) values ('x', 1)");
      throw new Error("after the insert");
    });
    await expect(failing).rejects.toThrow("after the insert");
    expect(await store.read(() => all("select * from conversation where key = 'x'"))).toEqual([]);
    store.close();
  });

  const sameBytes = (path: string, before: Uint8Array) => expect(readFileSync(path).equals(before)).toBe(true);

  test("one of a newer version is refused and left as it was", async () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/poppet.db`;
    (await openStore(`${folder.path}/poppet.db`)).close();
    const db = new Database(path);
    db.run("pragma wal_checkpoint(truncate)");
    db.run("pragma user_version = 99");
    db.close();
    const before = readFileSync(path);
    await expect(openStore(`${folder.path}/poppet.db`)).rejects.toMatchObject({ code: "store_newer" });
    sameBytes(path, before);
  });

  test("one that is damaged, or another program's, is refused and left as it was", async () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/poppet.db`;
    writeFileSync(path, "this is no database, but it is somebody's file, long enough to have a header ".repeat(20));
    const garbage = readFileSync(path);
    await expect(openStore(`${folder.path}/poppet.db`)).rejects.toMatchObject({ code: "store_damaged" });
    sameBytes(path, garbage);

    mkdirSync(`${folder.path}/other`);
    const foreign = new Database(`${folder.path}/other/poppet.db`);
    foreign.run("create table theirs (x)");
    foreign.close();
    await expect(openStore(`${folder.path}/other/poppet.db`)).rejects.toMatchObject({ code: "store_damaged" });
    const after = new Database(`${folder.path}/other/poppet.db`);
    expect(after.query("select name from sqlite_schema").all()).toEqual([{ name: "theirs" }]);
    after.close();
  });

  test("a folder that cannot be written is a clear error", async () => {
    using folder = temporaryFolder();
    writeFileSync(`${folder.path}/file`, "");
    await expect(openStore(`${folder.path}/file/home/poppet.db`)).rejects.toMatchObject({ code: "store_unwritable" });
    await expect(openStore("/proc/poppet/poppet.db")).rejects.toMatchObject({ code: "store_unwritable" });
    if (process.getuid?.() === 0) return;
    chmodSync(folder.path, 0o500);
    await expect(openStore(`${folder.path}/poppet.db`)).rejects.toMatchObject({ code: "store_unwritable" });
    chmodSync(folder.path, 0o700);
  });

  test("a disk that is full refuses the write, keeps what was there, and works again with room", async () => {
    using folder = temporaryFolder();
    const store = await openStore(`${folder.path}/poppet.db`);
    await store.write("test", () => change("insert into conversation (key, active_at) values ('kept', 1)"));
    await store.read(() => all("pragma max_page_count = 1"));
    const large = "x".repeat(1_000_000);
    const full = store.write("test", () =>
      change("insert into conversation (key, settings, active_at) values ('large', $1, 1)", large),
    );
    await expect(full).rejects.toMatchObject({ code: "store_full" });
    await store.read(() => all("pragma max_page_count = 1000000"));
    await store.write("test", () =>
      change("insert into conversation (key, settings, active_at) values ('large', $1, 1)", large),
    );
    expect(
      await store.read(() => all("select key from conversation where key in ('kept', 'large') order by key")),
    ).toHaveLength(2);
    store.close();
  });

  test("a write waits for another process's and then succeeds; one that never ends is a clear error", async () => {
    using folder = temporaryFolder();
    const store = await openStore(`${folder.path}/poppet.db`, { patienceMs: 10_000 });
    const other = new Database(store.path);
    other.run("begin immediate");
    const write = store.write("test", () => change("insert into conversation (key, active_at) values ('a', 1)"));
    const released = new Promise((resolve) => setImmediate(resolve)).then(() => other.run("commit"));
    await Promise.all([write, released]);
    other.run("begin immediate");
    const impatient = await openStore(`${folder.path}/poppet.db`, { patienceMs: 1 });
    const stuck = impatient.write("test", () => change("insert into conversation (key, active_at) values ('b', 1)"));
    await expect(stuck).rejects.toMatchObject({ code: "store_busy" });
    other.close();
    impatient.close();
    store.close();
  });
});

describe("§7 migrations", () => {
  const more = [
    ...migrations,
    { name: "second", sql: "create table second (x integer) strict; insert into second values (2)" },
    { name: "third", sql: "alter table second add column y text" },
  ];

  test("run forward, one transaction each, with a copy of what was there before", async () => {
    using folder = temporaryFolder();
    (await openStore(`${folder.path}/poppet.db`)).close();
    const store = await openStore(`${folder.path}/poppet.db`, { migrations: more });
    expect(await store.read(() => all("select x, y from second"))).toEqual([{ x: 2, y: null }]);
    store.close();
    const copy = new Database(`${folder.path}/poppet.db.before-schema-3`, { readonly: true });
    expect(copy.query("pragma user_version").get()).toEqual({ user_version: 1 });
    expect(copy.query("select 1 from sqlite_schema where name = 'second'").all()).toEqual([]);
    copy.close();
    await expect(openStore(`${folder.path}/poppet.db`)).rejects.toMatchObject({ code: "store_newer" });
  });

  test("one that fails leaves the version before it, and its copy", async () => {
    using folder = temporaryFolder();
    (await openStore(`${folder.path}/poppet.db`)).close();
    const broken = [...more.slice(0, 2), { name: "broken", sql: "create table half (x); select no_such_column" }];
    await expect(openStore(`${folder.path}/poppet.db`, { migrations: broken })).rejects.toMatchObject({
      code: "store_failed",
    });
    expect(existsSync(`${folder.path}/poppet.db.before-schema-3`)).toBe(true);
    const db = new Database(`${folder.path}/poppet.db`);
    expect(db.query("pragma user_version").get()).toEqual({ user_version: 2 });
    expect(db.query("select 1 from sqlite_schema where name = 'half'").all()).toEqual([]);
    db.close();
  });

  test("a new database needs no copy", async () => {
    using folder = temporaryFolder();
    (await openStore(`${folder.path}/poppet.db`, { migrations: more })).close();
    expect(readdirSync(folder.path).filter((name) => name.includes("before"))).toEqual([]);
  });

  test("eight processes that open a fresh folder at once all succeed", async () => {
    using folder = temporaryFolder();
    const script = `const { openStore } = await import(${JSON.stringify(`${import.meta.dir}/../src/store/sqlite.ts`)});
      const { change } = await import(${JSON.stringify(`${import.meta.dir}/../src/store/operation.ts`)});
      const store = await openStore(${JSON.stringify(`${folder.path}/home/poppet.db`)});
      await store.write("test", () => change("insert into conversation (key, active_at) values ($1, 1)", crypto.randomUUID()));
      store.close();`;
    const processes = Array.from({ length: 8 }, () => Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" }));
    for (const one of processes) {
      expect(await one.exited).toBe(0);
      expect(await new Response(one.stderr).text()).toBe("");
    }
    const store = await openStore(`${folder.path}/home/poppet.db`);
    expect(await store.read(() => all("select * from conversation"))).toHaveLength(8);
    store.close();
  });
});

describe("§8.4 locks", () => {
  test("one holder at a time, and the next when it is released or its process is killed", async () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/a.lock`;
    const mine = tryLock(path);
    expect(mine).not.toBeNull();
    expect(tryLock(path)).toBeNull();
    mine?.release();
    const script = `const { tryLock } = await import(${JSON.stringify(`${import.meta.dir}/../src/store/lock.ts`)});
      console.log(tryLock(${JSON.stringify(path)}) !== null); setInterval(() => {}, 1000);`;
    const holder = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    const reader = holder.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("true\n");
    expect(tryLock(path)).toBeNull();
    Bun.gc(true);
    expect(tryLock(path)).toBeNull();
    holder.kill("SIGKILL");
    await holder.exited;
    const next = tryLock(path);
    expect(next).not.toBeNull();
    await next?.discard();
    expect(existsSync(path)).toBe(false);
  });
});
