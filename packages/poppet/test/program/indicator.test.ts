/** What moves on the terminal until the answer starts. */
import { expect, test } from "bun:test";
import type { Part } from "../model-server/index.ts";
import { openHome } from "./home.ts";

const gated: readonly Part[] = [
  { type: "gate", name: "go" },
  { type: "text", text: "An answer." },
];

test("C4 Thinking... moves below the IDs until the answer starts, and leaves nothing behind", async () => {
  await using home = await openHome([{ parts: gated }]);
  await using pty = home.terminal(["chat", "new", "hi"]);
  // The highlight has moved when it is drawn anew.
  await pty.until(/Thinking\.\.\.|\x1b\[38;5;\d+mT/);
  await home.server.request(1);
  const drawn = pty.raw().length;
  await pty.until(new RegExp(`^[\\s\\S]{${drawn + 20},}`));
  expect(await pty.screen()).toMatch(/^session \S+\nrun \S+\nThinking\.\.\.$/);
  home.server.open("go");
  expect(await pty.exited()).toBe(0);
  expect(await pty.screen()).toMatch(/^session \S+\nrun \S+\nAn answer\.$/);
});

test("C4 C5 it stands below the reasoning that streams, which stays", async () => {
  const parts = [{ type: "reasoning", text: ["First idea.\n", "Second"] }, ...gated] as const;
  await using home = await openHome([{ parts }], { settings: "\n[chat]\nlogReasoning = true\n" });
  await using pty = home.terminal(["chat", "new", "hi"]);
  await pty.until("Second");
  home.server.open("go");
  expect(await pty.exited()).toBe(0);
  expect(pty.raw().indexOf("Thinking:")).toBeGreaterThan(0);
  expect(await pty.screen()).toMatch(/^session \S+\nrun \S+\nThinking:\nFirst idea\.\nSecond\n\nAn answer\.$/);
});

test("C4 with NO_COLOR the dots cycle, without a colour", async () => {
  await using home = await openHome([{ parts: gated }]);
  await using pty = home.terminal(["chat", "new", "hi"], { env: { NO_COLOR: "1" } });
  await pty.until(/Thinking\.(?!\.)/);
  await pty.until(/Thinking\.\.(?!\.)/);
  home.server.open("go");
  expect(await pty.exited()).toBe(0);
  expect(pty.raw()).not.toMatch(/\x1b\[[\d;]*m/);
});

test("C4 a dumb terminal and a stderr that is no terminal get none", async () => {
  await using home = await openHome([
    { parts: [{ type: "text", text: "One." }] },
    { parts: [{ type: "text", text: "Two." }] },
  ]);
  await using dumb = home.terminal(["chat", "new", "hi"], { env: { TERM: "dumb" } });
  expect(await dumb.exited()).toBe(0);
  expect(dumb.raw()).toMatch(/^session \S+\r\nrun \S+\r\nOne\.\r\n$/);
  expect((await home.poppet("chat", "new", "hi")).stderr).toMatch(/^session \S+\nrun \S+\n$/);
});
