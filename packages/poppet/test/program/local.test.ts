/** The real small model, from pulling its file to a second turn, in the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { smallModel } from "../small-model.ts";
import { type Home, openHome, sessionOf } from "./home.ts";

const env = { POPPET_PROVIDER: "local", POPPET_MODEL: "smollm2-135m" };
let home: Home;

beforeAll(async () => {
  const { path } = await smallModel();
  home = await openHome([], { provider: null, env });
  const pulled = await home.poppet("models", "pull", path);
  if (pulled.code !== 0) throw new Error(pulled.stderr);
}, 300_000);

afterAll(() => home[Symbol.asyncDispose]());

test("P2 a file that was pulled is installed, listed, and good for doctor; pulled again it is already there", async () => {
  const listed = JSON.parse((await home.poppet("models", "local")).stdout).models;
  expect(listed).toContainEqual(
    expect.objectContaining({ model: "smollm2-135m", local: expect.objectContaining({ installed: true }) }),
  );
  expect((await home.poppet("doctor")).code).toBe(0);
  const again = await home.poppet("models", "pull", (await smallModel()).path);
  expect([again.code, again.stderr.startsWith("already there: smollm2-135m")]).toEqual([0, true]);
});

test("C1 P1 the local model answers, and goes on from what was said; usage is counted", async () => {
  const first = await home.poppet("chat", "new", "What is the capital of France?");
  expect(first.code).toBe(0);
  expect(first.stdout).toContain("Paris");
  expect(first.stderr).toMatch(/^session \S+\nrun \S+\n$/);
  const id = sessionOf(first.stderr);
  const second = await home.poppet("chat", "send", id, "And of Italy?");
  expect(second.code).toBe(0);
  expect(second.stdout).toContain("Rome");
  const { session, runs, messages } = await home.show(id);
  expect(session).toMatchObject({ provider: "local", model: "smollm2-135m", namingAttempted: true });
  expect(messages).toHaveLength(4);
  expect(runs[0]?.usage?.outputTokens).toBeGreaterThan(0);
  expect(runs[1]?.usage?.inputTokens ?? 0).toBeGreaterThan(runs[0]?.usage?.inputTokens ?? 0);
});

test("§8.23 Ctrl-C while the local model answers: 130, interrupted, no noise of the engine; the session goes on", async () => {
  await using pty = home.terminal(["chat", "new", "Tell me a very long story about the sea."]);
  await pty.until(/run \S+[\s\S]*Thinking\.\.\.[\s\S]*[A-Za-z]{4,} [a-z]+ [a-z]+/);
  pty.type("\x03");
  expect(await pty.exited()).toBe(130);
  expect(await pty.screen()).toEndWith("poppet: Stopped by Ctrl-C.");
  const id = sessionOf(pty.raw());
  expect((await home.show(id)).runs).toMatchObject([{ state: "interrupted", output: null }]);
  expect((await home.poppet("chat", "send", id, "What is the capital of France?")).code).toBe(0);
});

test("§8.23 Ctrl-C while the local model is loaded: 130, interrupted", async () => {
  await using pty = home.terminal(["chat", "new", "Hi"]);
  await pty.until(/run \S+/);
  pty.type("\x03");
  expect(await pty.exited()).toBe(130);
  const { runs } = await home.show(sessionOf(pty.raw()));
  expect(runs).toMatchObject([{ state: "interrupted", error: { message: "Stopped by Ctrl-C." } }]);
});

test("P3 a model that is not here: the message is saved, and the run says how to fetch it", async () => {
  await using child = home.start(["chat", "new", "Hi"], { env: { POPPET_MODEL: "llama-3.2-1b" } });
  const { code, stderr } = await child.ended();
  expect(code).toBe(1);
  expect(stderr).toMatch(/\npoppet: There is no model file [^\n]*poppet models pull llama-3\.2-1b\n$/);
  expect((await home.show(sessionOf(stderr))).runs).toMatchObject([
    { state: "failed", error: { code: "model_missing" } },
  ]);
});
