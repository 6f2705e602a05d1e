import { expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { startChild } from "../program/child.ts";
import { openPty } from "../pty.ts";
import type { Line } from "./scripted.ts";
import { emptyHome, ended, scriptedProgram } from "./start.ts";

const accepted: Line = { type: "accepted", sessionId: "S", runId: "R", messageId: "M" };
const text = (delta: string, step = 1): Line => ({ type: "text", step, delta });

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("§8.23 %s: the run is saved as interrupted, exit %d", async (signal, code) => {
  await using home = await emptyHome({ lines: [accepted, text("Half"), { type: "hang" }] });
  const saved = join(home.path, "saved");
  const child = Bun.spawn(scriptedProgram("chat", "new", "hi"), {
    env: { ...home.env, SCRIPT_SAVED: saved },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill(signal);
  expect(await child.exited).toBe(code);
  expect(await Bun.file(saved).text()).toBe(signal);
  expect(await new Response(child.stderr).text()).toMatch(/\npoppet: Stopped [^\n]+\n$/);
});

test("§8.23 Ctrl-C ends the run also while nobody empties the pipe", async () => {
  await using home = await emptyHome({ lines: [accepted, { type: "flood", times: 50 }, { type: "hang" }] });
  const saved = join(home.path, "saved");
  const fifo = join(home.path, "fifo");
  await Bun.spawn(["mkfifo", fifo]).exited;
  // Open at both ends, so that it fills up and is never closed.
  await using pipe = await open(fifo, "r+");
  const child = Bun.spawn(scriptedProgram("chat", "new", "hi"), {
    env: { ...home.env, SCRIPT_SAVED: saved },
    stdin: "ignore",
    stdout: pipe.fd,
    stderr: "ignore",
  });
  await pipe.read(Buffer.alloc(1));
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  expect(await Bun.file(saved).text()).toBe("SIGINT");
});

test("§8.23 a reader that goes away interrupts the run, also while no answer comes; exit 1", async () => {
  await using home = await emptyHome({ lines: [accepted, text("Half"), { type: "hang" }] });
  const saved = join(home.path, "saved");
  const command = `{ "$@"; echo "exit $?" >&2; } | head -c 1 >/dev/null`;
  const result = await ended(["bash", "-c", command, "bash", ...scriptedProgram("chat", "new", "hi")], {
    env: { ...home.env, SCRIPT_SAVED: saved },
  });
  expect(await Bun.file(saved).text()).toBe("stdout");
  expect(result.stderr).toContain("exit 1");
});

test("§8.23 show | head -1 exits 0 and says nothing", async () => {
  await using home = await emptyHome();
  const command = `"$@" | head -1; echo "\${PIPESTATUS[0]}"`;
  const result = await ended(["bash", "-c", command, "bash", ...scriptedProgram("chat", "show", "S")], home);
  expect(result).toEqual({ code: 0, stdout: "{\n0\n", stderr: "" });
});

test("§7 a full disk is said in one line, exit 1", async () => {
  await using home = await emptyHome();
  const command = `"$@" > /dev/full`;
  const result = await ended(["bash", "-c", command, "bash", ...scriptedProgram("chat", "show", "S")], home);
  expect(result).toEqual({ code: 1, stdout: "", stderr: "poppet: The output cannot be written: the disk is full.\n" });
});

test("§8.23 a disk that fills up under the answer interrupts the run, which is saved", async () => {
  await using home = await emptyHome({ lines: [accepted, text("Half"), text("more"), { type: "hang" }] });
  const saved = join(home.path, "saved");
  const result = await ended(["bash", "-c", '"$@" > /dev/full', "bash", ...scriptedProgram("chat", "new", "hi")], {
    env: { ...home.env, SCRIPT_SAVED: saved },
  });
  expect(await Bun.file(saved).text()).toBe("stdout");
  expect(result.code).toBe(1);
  expect(result.stderr).toBe("session S\nrun R\npoppet: The output cannot be written: the disk is full.\n");
});

test("§8.23 a terminal that is closed interrupts the run", async () => {
  await using home = await emptyHome({ lines: [accepted, text("Half"), { type: "hang" }] });
  const saved = join(home.path, "saved");
  const pty = openPty(scriptedProgram("chat", "new", "hi"), { env: { ...home.env, SCRIPT_SAVED: saved } });
  await pty.until("Half");
  pty.process.terminal?.close();
  expect(await pty.process.exited).toBe(129);
  expect(await Bun.file(saved).text()).toBe("SIGHUP");
});

test("§8.23 a run that does not end is left after a while, and at once by a second signal", async () => {
  await using home = await emptyHome({ lines: [accepted, text("Half"), { type: "stuck" }] });
  const start = () => startChild(scriptedProgram("chat", "new", "hi"), { env: home.env });
  await using once = start();
  await once.stdout.until("Half");
  once.kill("SIGINT");
  expect((await once.ended()).code).toBe(130);
  await using twice = start();
  await twice.stdout.until("Half");
  twice.kill("SIGINT");
  await twice.stderr.until("heard");
  // Of another kind, so that the exit code tells what ended it.
  twice.kill("SIGTERM");
  expect((await twice.ended()).code).toBe(143);
});
