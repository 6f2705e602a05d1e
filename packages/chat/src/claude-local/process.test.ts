import { expect, test } from "bun:test";
import { startProgram } from "./process.ts";

function run(script: string, input = "") {
  const program = { executable: "/bin/sh", args: ["-c", script], env: process.env, folder: "/", input };
  return startProgram(program);
}
async function read(output: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("L7 a program gets its input, is read to its end, and says how it ended", async () => {
  const { output, ended } = run("tr a-z A-Z; exit 3", "é hello");
  expect([await read(output), await ended]).toEqual(["é HELLO", { type: "exit", code: 3 }]);
});

test("L7 of what it writes to its error output only the end is kept", async () => {
  const { output, ended, errorText } = run("head -c 100000 /dev/zero | tr '\\0' x >&2; echo END >&2");
  await read(output);
  await ended;
  expect([errorText().length, errorText().endsWith("xEND\n")]).toEqual([8_192, true]);
});

test("L7 one that does not read its input is no failure of ours", async () => {
  const { output, ended } = run("exec <&-; echo done", "x".repeat(10_000_000));
  expect([await read(output), await ended]).toEqual(["done\n", { type: "exit", code: 0 }]);
});

test("L7 one that is ended says by what; ending it again, or later, changes nothing", async () => {
  const { output, ended, end } = run("echo up; sleep 1000");
  const reading = output[Symbol.asyncIterator]();
  await reading.next();
  end();
  end();
  expect(await ended).toEqual({ type: "signal", signal: "SIGTERM" });
  end();
});
