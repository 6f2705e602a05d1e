import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { openHome, say, sayAfter, sessionUnderWay } from "./home.ts";

test("§8.5 messages to one session are answered in the order in which they were saved, and those that wait say so", async () => {
  await using home = await openHome([sayAfter("go", "one"), say("two"), say("three")]);
  await using first = home.start(["chat", "new", "first"]);
  const session = await sessionUnderWay(home, first);
  await using second = home.start(["chat", "send", session, "second"]);
  await second.stderr.until("waiting: ");
  await using third = home.start(["chat", "send", session, "third"]);
  await third.stderr.until("waiting: ");
  expect((await home.show(session)).runs.map((run) => run.state)).toEqual(["running", "queued", "queued"]);
  home.server.open("go");
  expect((await first.ended()).stdout).toBe("one\n");
  expect(await second.ended()).toMatchObject({ code: 0, stdout: "two\n" });
  expect(await third.ended()).toMatchObject({ code: 0, stdout: "three\n" });
  expect(second.stderr.text()).toContain(
    "waiting: this session is answering another message; this one is saved and comes next\n",
  );
  expect(first.stderr.text()).not.toContain("waiting");
  const { messages } = await home.show(session);
  expect(messages.map((one) => one.text)).toEqual(["first", "one", "second", "two", "third", "three"]);
  expect(JSON.stringify(home.server.requests[2]?.body)).toMatch(/first.*one.*second.*two.*third/);
});

test("§8.5 two sessions do not wait for each other", async () => {
  await using home = await openHome([{ parts: [{ type: "stall" }] }, say("free")]);
  await using first = home.start(["chat", "new", "first"]);
  await home.server.request(1);
  const other = await home.poppet("chat", "new", "other");
  expect([other.code, other.stdout]).toEqual([0, "free\n"]);
  first.kill("SIGINT");
  expect((await first.ended()).code).toBe(130);
});

test("§8.20 eight processes on a fresh folder at once are all answered", async () => {
  await using home = await openHome({ replies: [say("ok")], afterLast: "repeat" });
  const ends = await Promise.all(Array.from({ length: 8 }, (_, i) => home.poppet("chat", "new", `message ${i}`)));
  expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(Array(8).fill([0, "ok\n"]));
  expect(JSON.parse((await home.poppet("chat", "sessions")).stdout).sessions).toHaveLength(8);
  expect(await readdir(`${home.data}/owners`)).toEqual([]);
});

test("§8.4 kill -9 of the one that runs: another process shows it interrupted, and the one that waits comes next", async () => {
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, { type: "stall" }] }, say("two")]);
  await using first = home.start(["chat", "new", "first"]);
  await first.stdout.until("Half");
  const session = await sessionUnderWay(home, first);
  expect((await home.show(session)).runs[0]?.state).toBe("running");
  await using second = home.start(["chat", "send", session, "second"]);
  await second.stderr.until("waiting: ");
  first.kill("SIGKILL");
  expect(await second.ended()).toMatchObject({ code: 0, stdout: "two\n" });
  expect(await (await home.server.request(1)).over).toBe("client");
  const { runs, messages } = await home.show(session);
  expect(runs).toMatchObject([{ state: "interrupted", error: { code: "owner_died" } }, { state: "completed" }]);
  expect(messages.map((one) => one.text)).toEqual(["first", "second", "two"]);
  expect(JSON.stringify(home.server.requests[1]?.body)).not.toContain("first");
});

test("§8.4 kill -9 and then chat show by another process: interrupted, not running; the session goes on", async () => {
  await using home = await openHome([{ parts: [{ type: "stall" }] }, say("back")]);
  await using first = home.start(["chat", "new", "first"]);
  const session = await sessionUnderWay(home, first);
  first.kill("SIGKILL");
  await first.ended();
  const { runs, messages } = await home.show(session);
  expect(runs).toMatchObject([{ state: "interrupted", error: { code: "owner_died" } }]);
  expect(messages.map((one) => one.text)).toEqual(["first"]);
  expect((await home.poppet("chat", "send", session, "again")).stdout).toBe("back\n");
  expect(await readdir(`${home.data}/owners`)).toEqual([]);
});

test("§8.5 kill -9 of one that waits: its message is kept as an interrupted run and holds nobody up", async () => {
  await using home = await openHome([sayAfter("go", "one"), say("three")]);
  await using first = home.start(["chat", "new", "first"]);
  const session = await sessionUnderWay(home, first);
  await using second = home.start(["chat", "send", session, "second"]);
  await second.stderr.until("waiting: ");
  await using third = home.start(["chat", "send", session, "third"]);
  await third.stderr.until("waiting: ");
  second.kill("SIGKILL");
  await second.ended();
  home.server.open("go");
  expect((await third.ended()).stdout).toBe("three\n");
  const { runs } = await home.show(session);
  expect(runs.map((run) => run.state)).toEqual(["completed", "interrupted", "completed"]);
});

test("C9 a rename while a run is under way stays, and does not disturb it", async () => {
  await using home = await openHome([sayAfter("go", "one")]);
  await using first = home.start(["chat", "new", "first"]);
  const session = await sessionUnderWay(home, first);
  expect((await home.poppet("chat", "rename", session, "Mine")).code).toBe(0);
  home.server.open("go");
  expect((await first.ended()).code).toBe(0);
  expect((await home.show(session)).session).toMatchObject({ title: "Mine", titleSource: "user" });
});
