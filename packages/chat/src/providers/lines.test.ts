import { expect, test } from "bun:test";
import fc from "fast-check";
import { linesOf } from "./lines.ts";

async function read(chunks: readonly Uint8Array[], limit: number): Promise<readonly string[]> {
  const given = (async function* () {
    yield* chunks;
  })();
  const lines: string[] = [];
  for await (const line of linesOf(given, limit)) lines.push(line);
  return lines;
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, i) => bytes.subarray(places[i], to));
}

const text = fc
  .array(fc.constantFrom("\n", "a", "é", "😀", "日", "{}", "\r"), { maxLength: 30 })
  .map((all) => all.join(""));

test("L7 lines are the same whatever pieces their bytes come in, up to the limit", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(200), { maxLength: 8 }), async (given, cuts) => {
      const expected = given.split("\n");
      if (expected.at(-1) === "") expected.pop();
      const longest = Math.max(0, ...expected.map((line) => new TextEncoder().encode(line).length));
      const chunks = cutAt(new TextEncoder().encode(given), cuts);
      expect(await read(chunks, longest)).toEqual(expected);
      if (longest > 0) await expect(read(chunks, longest - 1)).rejects.toMatchObject({ code: "provider_malformed" });
    }),
  );
});

test("L7 a source may use one piece of memory again and again", async () => {
  const memory = new Uint8Array(2);
  const given = (async function* () {
    for (const piece of ["ab", "cd", "e\n"]) {
      new TextEncoder().encodeInto(piece, memory);
      yield memory;
    }
  })();
  expect(await Array.fromAsync(linesOf(given))).toEqual(["abcde"]);
});
