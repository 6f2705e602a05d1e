import { expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { startChild } from "../program/child.ts";
import type { Line } from "./scripted.ts";
import { emptyHome, scriptedProgram } from "./start.ts";

const accepted: Line = { type: "accepted", sessionId: "S", runId: "R", messageId: "M" };
const text = (delta: string, step = 1): Line => ({ type: "text", step, delta });

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
