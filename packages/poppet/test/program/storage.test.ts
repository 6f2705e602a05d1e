/** The data folder: who can read it, and what happens where it cannot be used. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { answeredSession, type Home, makeFolder, openHome, say, sessionOf } from "./home.ts";

/** `path mode` of everything in a folder. */
async function modesIn(folder: string): Promise<readonly string[]> {
  const names = [".", ...(await readdir(folder, { recursive: true }))];
  const modes = names.map(async (name) => {
    const { mode } = await stat(join(folder, name));
    return `${name.replace(/[0-9a-f-]{36}/, "ID")} ${(mode & 0o777).toString(8)}`;
  });
  return (await Promise.all(modes)).sort();
}

test("S0 whatever the umask is, every file is 0600 and every folder 0700, also while a run is under way", async () => {
  await using home = await openHome([
    say("one"),
    {
      parts: [
        { type: "gate", name: "go" },
        { type: "text", text: "two" },
      ],
    },
  ]);
  await using first = home.shell(`umask 0; "$@"`, "chat", "new", "Hi");
  const { code, stderr } = await first.ended();
  expect(code).toBe(0);
  await using second = home.shell(`umask 0; "$@"`, "chat", "send", sessionOf(stderr), "More");
  await home.server.request(2);
  const during = await modesIn(home.data);
  for (const name of ["poppet.db", "poppet.db-wal", "poppet.db-shm", "owners/ID.lock"])
    expect(during).toContain(`${name} 600`);
  home.server.open("go");
  expect((await second.ended()).code).toBe(0);
  const modes = [...during, ...(await modesIn(home.data))];
  expect(modes.filter((one) => !/ (600|700)$/.test(one))).toEqual([]);
  expect(modes).toContain("search.db 600");
  expect(modes).toContain("owners 700");

  const config = join(home.path, "new/deep/config.toml");
  const setup = `umask 0; POPPET_CONFIG=${config} "$@"`;
  await using third = home.shell(setup, "setup", "--provider", "local", "--model", "m");
  expect((await third.ended()).code).toBe(0);
  expect(await modesIn(join(home.path, "new"))).toEqual([". 700", "deep 700", "deep/config.toml 600"]);
});

test("§7 a copy kept from before an update is 0600 as the database is", async () => {
  await using home = await openHome();
  const id = await answeredSession(home);
  using db = new Database(join(home.data, "poppet.db"));
  const { user_version: version } = db.query("pragma user_version").get() as { user_version: number };
  if (version < 2) return; // There is no version to come from yet.
  db.run(`pragma user_version = ${version - 1}`);
  await home.poppet("chat", "show", id);
  expect((await modesIn(home.data)).filter((one) => one.includes("before"))).toEqual([
    `poppet.db.before-schema-${version} 600`,
  ]);
});

/** Every command that needs the store fails with one line that says where and what to do; nothing is asked or changed. */
async function expectRefused(home: Home, words: RegExp, line = `"$@"`): Promise<void> {
  for (const given of [
    ["chat", "new", "Hi"],
    ["chat", "sessions"],
    ["chat", "show", "x"],
    ["chat", "search", "x"],
  ]) {
    await using child = home.shell(line, ...given);
    const { code, stdout, stderr } = await child.ended();
    expect([given[1], code, stdout]).toEqual([given[1], 1, ""]);
    expect(stderr).toMatch(/^poppet: [^\n]+\n$/);
    expect(stderr).toMatch(words);
  }
  expect(home.server.requests.filter((request) => request.method === "POST")).toHaveLength(0);
}

const places: readonly (readonly [string, (home: Home) => Promise<void> | string])[] = [
  ["a file", async (home) => void (await Bun.write(home.data, "I am a file"))],
  ["below a file", (home) => `${home.config}/data`],
  ["/proc", () => "/proc/poppet"],
];

test.each(places)("§7 a data folder that is %s: one line, exit 1, and doctor says so", async (_, make) => {
  await using home = await openHome();
  const place = (await make(home)) ?? home.data;
  const line = `POPPET_HOME=${place} "$@"`;
  await expectRefused(home, /cannot be (opened|used)[^\n]*POPPET_HOME/, line);
  await using doctor = home.shell(line, "doctor");
  const { code, stdout } = await doctor.ended();
  expect([code, stdout.split("\n").filter((one) => one.startsWith("wrong")).length > 0]).toEqual([1, true]);
});

test("§7 a data folder that one may not write to: one line, exit 1; what is there can be read once it may be", async () => {
  await using home = await openHome();
  const id = await answeredSession(home);
  const asked = home.server.requests.length;
  // Root may write anywhere but in a file system that is read-only: one of this shell's own.
  const readOnly = `mount --bind "$POPPET_HOME" "$POPPET_HOME" && mount -o remount,bind,ro "$POPPET_HOME"`;
  const line = `unshare --mount --map-root-user sh -c '${readOnly} || exit 77; exec "$@"' sh "$@"`;
  await using child = home.shell(line, "chat", "send", id, "More");
  const { code, stderr } = await child.ended();
  if (code === 77) return console.log("skipped: this machine mounts nothing");
  expect([code, stderr.match(/\n/g)?.length]).toEqual([1, 1]);
  expect(stderr).toMatch(/^poppet: [^\n]*poppet\.db cannot be used: [^\n]+\. Put that right/);
  await using doctor = home.shell(line, "doctor");
  expect(await doctor.ended()).toMatchObject({ code: 1, stdout: expect.stringContaining("wrong  data folder: ") });
  expect(home.server.requests.filter((request) => request.method === "POST")).toHaveLength(asked);
  expect((await home.show(id)).messages).toHaveLength(2);
});

test("§7 a full disk: one line that says so, exit 1, and what was saved before is whole", async () => {
  await using home = await openHome({ replies: [say("x".repeat(60_000))], afterLast: "repeat" });
  await makeFolder(home.data);
  const script = `mount -t tmpfs -o size=2m tmpfs "$POPPET_HOME" || exit 77
while true; do "$@" >/dev/null || { echo "exit $?" >&2; break; }; done
rm -f "$POPPET_HOME"/search.db*
"$1" "$2" chat sessions`;
  await using child = home.shell(
    `unshare --mount --map-root-user sh -c '${script}' sh "$@"`,
    "chat",
    "new",
    "y".repeat(20_000),
  );
  const { code, stdout, stderr } = await child.ended();
  if (code === 77) return console.log("skipped: this machine mounts nothing");
  expect(stderr).toMatch(/\npoppet: There is no room left to write [^\n]*\nexit 1\n/);
  expect(stderr).not.toContain("internal error");
  expect(code).toBe(0);
  expect(JSON.parse(stdout).sessions.length).toBeGreaterThan(1);
});

test("§7 a database that is damaged: one line, exit 1, left as it was, and doctor says so", async () => {
  await using home = await openHome();
  await makeFolder(home.data);
  const path = join(home.data, "poppet.db");
  const garbage = "This is no database. ".repeat(1_000);
  await Bun.write(path, garbage);
  await expectRefused(home, /poppet\.db is damaged or is no Poppet database/);
  expect(await Bun.file(path).text()).toBe(garbage);
  const doctor = await home.poppet("doctor");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain("wrong  storage: ");
});

test("§7 a database with damaged pages: one line, exit 1", async () => {
  await using home = await openHome();
  const id = await answeredSession(home, "a long message ".repeat(2_000));
  const path = join(home.data, "poppet.db");
  using db = new Database(path);
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  const bytes = await Bun.file(path).bytes();
  bytes.fill(0x5a, 4_096);
  await Bun.write(path, bytes);
  const shown = await home.poppet("chat", "show", id);
  expect([shown.code, shown.stdout]).toEqual([1, ""]);
  expect(shown.stderr).toMatch(/^poppet: [^\n]*damaged[^\n]*\n$/);
  expect(await home.poppet("doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining("wrong  storage: ") });
});

test("§7 a database of a newer Poppet: one line, exit 1, left as it was", async () => {
  await using home = await openHome();
  const id = await answeredSession(home);
  const path = join(home.data, "poppet.db");
  using db = new Database(path);
  const { user_version: version } = db.query("pragma user_version").get() as { user_version: number };
  db.run("pragma user_version = 999");
  const before = db.query("select * from run").all();
  const shown = await home.poppet("chat", "send", id, "More");
  expect(shown).toMatchObject({ code: 1, stdout: "" });
  expect(shown.stderr).toMatch(/^poppet: [^\n]*newer Poppet[^\n]*Update Poppet[^\n]*\n$/);
  expect(await home.poppet("doctor")).toMatchObject({ code: 1 });
  expect(db.query("select * from run").all()).toEqual(before);
  db.run(`pragma user_version = ${version}`);
  expect((await home.show(id)).messages).toHaveLength(2);
});

test("§7 a database of another program is left as it was", async () => {
  await using home = await openHome();
  await makeFolder(home.data);
  using db = new Database(join(home.data, "poppet.db"), { create: true });
  db.run("create table theirs (x)");
  await expectRefused(home, /database of another program/);
  expect(db.query("select name from sqlite_schema").all()).toEqual([{ name: "theirs" }]);
});

test("§7 a folder that others can read is told by doctor", async () => {
  await using home = await openHome();
  await answeredSession(home);
  await chmod(home.data, 0o755);
  expect(await home.poppet("doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining(`chmod 700`) });
});
