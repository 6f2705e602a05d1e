import { expect, test } from "bun:test";
import { codeOf } from "../test/client.ts";
import { type EntryContent, memoryTranscript, transcriptEditor } from "./index.ts";

async function talked(...exchanges: readonly (readonly EntryContent[])[]) {
  const transcript = memoryTranscript();
  for (const [n, content] of exchanges.entries()) {
    const tip = await transcript.tip();
    await transcript.commit({ expected: tip, parent: tip, exchange: String(n), content });
  }
  return { transcript, editor: transcriptEditor(transcript) };
}
const user = (text: string): EntryContent => ({ role: "user", text });
const clear: EntryContent = { role: "clear" };

test("L4 reads what the model can see, oldest first, back to the last clear or summary", async () => {
  const { editor } = await talked([user("1")], [clear], [user("2"), user("2b")], [user("3")]);
  const view = await editor.read();
  expect([view.summary, view.exchanges.map((one) => [one.id, one.messages.length, one.bytes])]).toEqual([
    null,
    [
      ["2", 2, 3],
      ["3", 1, 1],
    ],
  ]);
  expect((await editor.read({ newest: 1 })).exchanges.map((one) => one.id)).toEqual(["3"]);
  await editor.summarize(view.revision, "2", "so far");
  expect(await editor.read()).toMatchObject({ summary: "so far", exchanges: [{ id: "3" }] });
});

test("L4 takes back whole exchanges, fewer where fewer are left, never past a clear", async () => {
  const { editor } = await talked([user("1")], [clear], [user("2"), user("2b")], [user("3")]);
  const { revision } = await editor.read();
  for (const none of [0, Number.NaN]) expect(await editor.dropLast(revision, none)).toEqual([]);
  expect((await editor.dropLast(revision, 5)).map((one) => one.messages.length)).toEqual([2, 1]);
  const after = await editor.read();
  expect(after.exchanges).toEqual([]);
  expect(await editor.dropLast(after.revision, 1)).toEqual([]);
  expect((await editor.read()).revision).toBe(after.revision);
});

test("L5 an edit from an older revision is refused and changes nothing; so is one that names no exchange", async () => {
  const { editor, transcript } = await talked([user("1")], [user("2")]);
  const { revision } = await editor.read();
  const tip = await transcript.tip();
  await transcript.commit({ expected: tip, parent: tip, exchange: "new", content: [user("3")] });
  const before = await editor.read();
  expect(await codeOf(editor.dropLast(revision, 1))).toBe("transcript_moved");
  expect(await codeOf(editor.summarize(revision, "0", "x"))).toBe("transcript_moved");
  expect(await codeOf(editor.dropLast("no revision", 1))).toBe("transcript_moved");
  expect(await codeOf(editor.summarize(before.revision, "no exchange", "x"))).toBe("transcript_entry");
  const cleared = await talked([user("1")], [clear], [user("2")]);
  const view = await cleared.editor.read();
  expect(await codeOf(cleared.editor.summarize(view.revision, "0", "x"))).toBe("transcript_entry");
  expect(await editor.read()).toEqual(before);
});

test("L5 of two edits from one revision exactly one is done", async () => {
  const { editor } = await talked([user("1")], [user("2")], [user("3")]);
  const { revision } = await editor.read();
  const codes = await Promise.all([codeOf(editor.dropLast(revision, 1)), codeOf(editor.dropLast(revision, 1))]);
  expect(codes.sort()).toEqual(["nothing thrown", "transcript_moved"]);
  expect((await editor.read()).exchanges.map((one) => one.id)).toEqual(["0", "1"]);
});

test("L4 an empty conversation has a revision too", async () => {
  const { editor } = await talked();
  const view = await editor.read();
  expect(view.exchanges).toEqual([]);
  expect(await editor.dropLast(view.revision, 1)).toEqual([]);
});
