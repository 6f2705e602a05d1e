import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { watch } from "node:fs";
import type { Part } from "../model-server/index.ts";
import {
  answeredSession,
  type Home,
  openHome,
  say,
  sayAfter,
  sessionOf,
  sessionUnderWay,
  withoutReader,
} from "./home.ts";

const stall: Part = { type: "stall" };

/** The run is interrupted with its reason, the provider was left, and the session goes on. */
async function expectInterrupted(home: Home, session: string, reason: string): Promise<void> {
  const { runs, messages } = await home.show(session);
  const run = runs.at(-1);
  expect(run).toMatchObject({ state: "interrupted", error: { code: "aborted", message: reason }, output: null });
  expect(run?.finishedAt).toBeNumber();
  expect(messages.at(-1)?.role).toBe("user");
  home.server.push(say("Still here."));
  const next = await home.poppet("chat", "send", session, "Go on");
  expect([next.code, next.stdout]).toEqual([0, "Still here.\n"]);
  const sent = JSON.stringify(home.server.requests.at(-1)?.body);
  expect(sent).not.toContain("stop me");
  expect(sent).not.toContain("Half");
}

const moments: readonly (readonly [string, readonly Part[], string])[] = [
  ["before the first token", [stall], "Thinking..."],
  ["in the reasoning", [{ type: "reasoning", text: "Hmm, let me" }, stall], "Hmm, let me"],
  ["in the answer", [{ type: "text", text: "Half" }, stall], "Half"],
];

describe("§8.23 Ctrl-C in a terminal", () => {
  test.each(moments)(
    "C11 §8.23 Ctrl-C %s: 130, interrupted, the provider's connection closed",
    async (_, parts, seen) => {
      await using home = await openHome([{ parts }], { settings: "\n[chat]\nlogReasoning = true\n" });
      await using pty = home.terminal(["chat", "new", "stop me"]);
      const request = await home.server.request(1);
      await pty.until(seen);
      pty.type("\x03");
      expect(await pty.exited()).toBe(130);
      expect(await request.over).toBe("client");
      const screen = await pty.screen();
      expect(screen).toEndWith("poppet: Stopped by Ctrl-C.");
      expect(screen).not.toContain("Thinking...");
      await expectInterrupted(home, sessionOf(pty.raw()), "Stopped by Ctrl-C.");
    },
  );

  test("§8.5 §8.23 while it waits for its turn: 130, interrupted, and the one that runs is not disturbed", async () => {
    await using home = await openHome([sayAfter("first", "One.")]);
    await using first = home.start(["chat", "new", "first"]);
    const session = await sessionUnderWay(home, first);
    await using pty = home.terminal(["chat", "send", session, "stop me"]);
    await pty.until("waiting: ");
    pty.type("\x03");
    expect(await pty.exited()).toBe(130);
    home.server.open("first");
    expect(await first.ended()).toMatchObject({ code: 0, stdout: "One.\n" });
    expect(home.server.requests).toHaveLength(1);
    const { runs } = await home.show(session);
    expect(runs.map((run) => run.state)).toEqual(["completed", "interrupted"]);
    expect(runs[1]).toMatchObject({ error: { message: "Stopped by Ctrl-C." }, startedAt: null });
  });

  test("§8.5 §8.23 a reader that leaves, or SIGTERM, while a message waits for its turn: interrupted", async () => {
    await using home = await openHome([sayAfter("first", "One.")]);
    await using first = home.start(["chat", "new", "first"]);
    const session = await sessionUnderWay(home, first);
    const line = `mkfifo "$HOME/leave"; { "$@"; echo "exit $?" >&2; } | read -r _ < "$HOME/leave"`;
    await using left = home.shell(line, "chat", "send", session, "second");
    await left.stderr.until("waiting: ");
    await Bun.write(`${home.path}/leave`, "now\n");
    expect((await left.ended()).stderr).toEndWith("nobody reads the output any more.\nexit 1\n");
    await using stopped = home.start(["chat", "send", session, "third"]);
    await stopped.stderr.until("waiting: ");
    stopped.kill("SIGTERM");
    expect((await stopped.ended()).code).toBe(143);
    home.server.open("first");
    expect(await first.ended()).toMatchObject({ code: 0, stdout: "One.\n" });
    expect((await home.show(session)).runs.map((run) => run.state)).toEqual([
      "completed",
      "interrupted",
      "interrupted",
    ]);
  });

  test("§8.23 a terminal that is closed: 129, interrupted, the connection closed", async () => {
    await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, stall] }]);
    await using pty = home.terminal(["chat", "new", "stop me"]);
    await pty.until("Half");
    pty.process.terminal?.close();
    expect(await pty.process.exited).toBe(129);
    expect(await (await home.server.request(1)).over).toBe("client");
    await expectInterrupted(home, sessionOf(pty.raw()), "Stopped because the terminal was closed.");
  });
});

test.each([
  ["SIGINT", 130, "Stopped by Ctrl-C."],
  ["SIGTERM", 143, "Stopped by SIGTERM."],
  ["SIGHUP", 129, "Stopped because the terminal was closed."],
] as const)("§8.23 %s without a terminal: exit %d, one line, interrupted", async (signal, code, reason) => {
  await using home = await openHome([{ parts: [{ type: "text", text: "Half" }, stall] }]);
  await using child = home.start(["chat", "new", "stop me"]);
  await child.stdout.until("Half");
  child.kill(signal);
  const ended = await child.ended();
  expect([ended.code, ended.stdout]).toEqual([code, "Half"]);
  expect(ended.stderr).toEndWith(`\npoppet: ${reason}\n`);
  expect(await (await home.server.request(1)).over).toBe("client");
  await expectInterrupted(home, sessionOf(ended.stderr), reason);
});

const readers: readonly (readonly [string, readonly Part[], string])[] = [
  [
    "after the first byte, while the model goes on",
    [{ type: "deltas", count: 1e6, text: "word ", everyMs: 1 }],
    "head -c 1",
  ],
  ["after the first byte, while the model is silent", [{ type: "text", text: "Half" }, stall], "head -c 1"],
];

test.each(readers)(
  "§8.23 a reader that leaves %s: exit 1, interrupted, the connection closed",
  async (_, parts, reader) => {
    await using home = await openHome([{ parts }]);
    await using child = home.shell(`{ "$@"; echo "exit $?" >&2; } | ${reader}`, "chat", "new", "stop me");
    const { stderr } = await child.ended();
    expect(stderr).toEndWith("\npoppet: Stopped because nobody reads the output any more.\nexit 1\n");
    expect(await (await home.server.request(1)).over).toBe("client");
    await expectInterrupted(home, sessionOf(stderr), "Stopped because nobody reads the output any more.");
  },
);

test("§8.23 a reader that leaves before the model has said a word: exit 1, interrupted, the connection closed", async () => {
  await using home = await openHome([{ parts: [stall] }]);
  const line = `mkfifo "$HOME/leave"; { "$@"; echo "exit $?" >&2; } | read -r _ < "$HOME/leave"`;
  await using child = home.shell(line, "chat", "new", "stop me");
  const request = await home.server.request(1);
  await Bun.write(`${home.path}/leave`, "now\n");
  expect(await request.over).toBe("client");
  const { stderr } = await child.ended();
  expect(stderr).toEndWith("\npoppet: Stopped because nobody reads the output any more.\nexit 1\n");
  await expectInterrupted(home, sessionOf(stderr), "Stopped because nobody reads the output any more.");
});

test("§8.23 a reader that has left before the program starts: exit 1, nothing is asked", async () => {
  await using home = await openHome();
  await using child = home.shell(`${withoutReader} "$@" >&4; echo "exit $?" >&2`, "chat", "new", "stop me");
  expect((await child.ended()).stderr).toEndWith("nobody reads the output any more.\nexit 1\n");
  expect(home.server.requests).toHaveLength(0);
});

test("§8.23 Ctrl-C while another program holds the database: 130, and nothing was saved", async () => {
  await using home = await openHome();
  const session = await answeredSession(home);
  using held = new Database(`${home.data}/poppet.db`);
  held.run("begin immediate");
  const locked = Promise.withResolvers<void>();
  const watcher = watch(`${home.data}/owners`, () => locked.resolve());
  await using child = home.start(["chat", "send", session, "stop me"]);
  await locked.promise;
  watcher.close();
  child.kill("SIGINT");
  expect(await child.ended()).toEqual({ code: 130, stdout: "", stderr: "poppet: Stopped by Ctrl-C.\n" });
  held.run("rollback");
  expect((await home.show(session)).messages).toHaveLength(2);
});

test("§8.23 a stdout that was never open is as good as /dev/null: the run is saved, and no file is written into", async () => {
  await using home = await openHome([say("Hello.")]);
  await using child = home.shell(`"$@" >&-`, "chat", "new", "hi");
  const { code, stderr } = await child.ended();
  expect(code).toBe(0);
  expect((await home.show(sessionOf(stderr))).runs).toMatchObject([{ state: "completed", output: "Hello." }]);
});

test("§8.23 a stderr that nobody reads holds back nothing: the answer is whole, exit 0", async () => {
  await using home = await openHome([say("Hel", "lo.")]);
  await using child = home.shell(`{ "$@" 2>&1 >&3 | true; echo "exit \${PIPESTATUS[0]}"; } 3>&1`, "chat", "new", "hi");
  expect((await child.ended()).stdout).toBe("Hello.\nexit 0\n");
});

test("§8.23 chat show | head -1 exits 0 and says nothing", async () => {
  await using home = await openHome();
  const session = await answeredSession(home, "Hi", "long line\n".repeat(10_000));
  await using child = home.shell(`"$@" | head -1; echo "exit \${PIPESTATUS[0]}"`, "chat", "show", session);
  expect(await child.ended()).toEqual({ code: 0, stdout: "{\nexit 0\n", stderr: "" });
});

test("§7 C11 a disk that fills up under the answer: one line, exit 1, the run interrupted", async () => {
  await using home = await openHome([{ parts: [{ type: "text", text: ["Half", "more"] }, stall] }]);
  await using child = home.shell(`"$@" > /dev/full`, "chat", "new", "stop me");
  const { code, stderr } = await child.ended();
  expect(code).toBe(1);
  expect(stderr).toEndWith("\npoppet: The output cannot be written: the disk is full.\n");
  await expectInterrupted(home, sessionOf(stderr), "The output cannot be written: the disk is full.");
});
