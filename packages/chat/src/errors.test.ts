import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedChat } from "../test/client.ts";
import * as here from "./index.ts";

test("L8 errors of another copy of the package are known by their mark, and the commands know them too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poppet-copy-"));
  const { outputs } = await Bun.build({ entrypoints: [join(import.meta.dir, "index.ts")], outdir: folder });
  const other: typeof here = await import(outputs[0]?.path ?? "");
  const moved = new other.TranscriptMovedError();
  const unavailable = new other.CommandUnavailableError("undo", "no editor");
  expect([moved instanceof here.ChatError, here.ChatError.isInstance(moved)]).toEqual([false, true]);
  expect(here.TranscriptMovedError.isInstance(moved)).toBe(true);
  expect(here.TranscriptMovedError.isInstance(unavailable)).toBe(false);
  expect(here.CommandUnavailableError.isInstance(unavailable)).toBe(true);
  expect(here.TranscriptEntryError.isInstance(new other.TranscriptEntryError("x"))).toBe(true);
  for (const value of [null, undefined, "transcript_moved", { code: "transcript_moved" }, new Error("x")]) {
    expect(here.TranscriptMovedError.isInstance(value)).toBe(false);
  }

  const { client } = scriptedChat(["ok"]);
  await client.chat("1");
  const { editor } = client;
  const moving = { editor: editor && { ...editor, dropLast: () => Promise.reject(moved) } };
  const commands = here.commandSet<typeof moving>([here.undoCommand()]);
  expect(await here.runCommand(moving, commands, "/undo")).toMatchObject({
    text: expect.stringContaining("Try again"),
  });
  rmSync(folder, { recursive: true });
});

test("L8 whatever is thrown has words", () => {
  const thrown = [new Error("no"), new TypeError(), "text", 1, null, undefined];
  expect(thrown.map(here.messageOf)).toEqual(["no", "TypeError", "text", "1", "null", "undefined"]);
});

test("L8 an abort's own ChatError is kept, another reason becomes the cause", async () => {
  const { client } = scriptedChat(["ok"]);
  const why = new here.ChatError("turn_deadline", "Enough.");
  await expect(client.chat("1", { signal: AbortSignal.abort(why) })).rejects.toBe(why);
  const reason = new Error("closed the window");
  await expect(client.chat("1", { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
    ...{ code: "aborted", cause: reason },
  });
});

test("L8 whatever was thrown has words", () => {
  const nameless = new Error("");
  const thrown = ["text", nameless, { message: "no such row" }, Object.create(null), null, undefined, 5];
  expect(thrown.map((one) => here.messageOf(one))).toEqual([
    ...["text", "Error", "no such row", "something without words", "null", "undefined", "5"],
  ]);
});
