import { expect, test } from "bun:test";
import { join } from "node:path";
import { openPty } from "../pty.ts";
import type { Line } from "./scripted.ts";
import { emptyHome, ended, scriptedProgram } from "./start.ts";

const accepted: Line = { type: "accepted", sessionId: "S", runId: "R", messageId: "M" };
const text = (delta: string, step = 1): Line => ({ type: "text", step, delta });

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("§8.23 %s: the run is saved as interrupted, exit %d within 100 ms", async (signal, code) => {
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
  const start = performance.now();
  child.kill(signal);
  expect(await child.exited).toBe(code);
  expect(performance.now() - start).toBeLessThan(100);
  expect(await Bun.file(saved).text()).toBe(signal);
  expect(await new Response(child.stderr).text()).toMatch(/\npoppet: Stopped [^\n]+\n$/);
});

test("§8.23 Ctrl-C ends the run also while nobody empties the pipe", async () => {
  await using home = await emptyHome({ lines: [accepted, { type: "flood", times: 50 }, { type: "hang" }] });
  const saved = join(home.path, "saved");
  const child = Bun.spawn(
    ["sh", "-c", `"$@" | (sleep 5; cat >/dev/null)`, "sh", ...scriptedProgram("chat", "new", "hi")],
    {
      env: { ...home.env, SCRIPT_SAVED: saved },
      stdin: "ignore",
      stderr: "pipe",
    },
  );
  const reader = child.stderr.getReader();
  await reader.read();
  await Bun.sleep(200);
  const pid = Number(await new Response(Bun.spawn(["pgrep", "-P", String(child.pid), "bun"]).stdout).text());
  process.kill(pid, "SIGINT");
  for (let i = 0; i < 50 && !(await Bun.file(saved).exists()); i++) await Bun.sleep(10);
  expect(await Bun.file(saved).text()).toBe("SIGINT");
  child.kill("SIGKILL");
});

test("§8.23 a reader that goes away interrupts the run within 100 ms, also while no answer comes; exit 1", async () => {
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

test("§8.23 a run that does not end is left after a second, and at once by a second Ctrl-C", async () => {
  await using home = await emptyHome({ lines: [accepted, text("Half"), { type: "stuck" }] });
  const start = () => {
    const child = Bun.spawn(scriptedProgram("chat", "new", "hi"), { env: home.env, stdout: "pipe", stderr: "ignore" });
    return { child, answer: child.stdout.getReader().read() };
  };
  const twice = start();
  await twice.answer;
  twice.child.kill("SIGINT");
  await Bun.sleep(50);
  const second = performance.now();
  twice.child.kill("SIGINT");
  expect(await twice.child.exited).toBe(130);
  expect(performance.now() - second).toBeLessThan(100);
  const once = start();
  await once.answer;
  once.child.kill("SIGINT");
  expect(await once.child.exited).toBe(130);
});
