import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatError } from "../errors.ts";
import { localGguf } from "./local-gguf.ts";

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file that claims to be a model. */
function claimed(): string {
  folder = mkdtempSync(join(tmpdir(), "poppet-gguf-"));
  const header = Buffer.alloc(24);
  header.write("GGUF");
  header.writeUInt32LE(3, 4);
  header.writeBigUInt64LE(1n, 8);
  header.writeBigUInt64LE(1n, 16);
  writeFileSync(join(folder, "small.gguf"), header);
  return join(folder, "small.gguf");
}

test("L8 a loading that is stopped throws a ChatError: the signal's own, or aborted", async () => {
  const path = claimed();
  const reason = new Error("closed the window");
  await expect(localGguf({ path, signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
    ...{ code: "aborted", message: "The loading of small was stopped.", cause: reason },
  });
  const own = new ChatError("turn_deadline", "Enough.");
  await expect(localGguf({ path, signal: AbortSignal.abort(own) })).rejects.toBe(own);
});
