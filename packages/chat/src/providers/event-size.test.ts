import { expect, test } from "bun:test";
import fc from "fast-check";
import { eventSize } from "./event-size.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  [["data: x"], 7],
  [["data: x\n\n"], 0],
  [["data: x\n\nda"], 2],
  [["data: x\r\n\r\nda"], 2],
  [["data: x\r\n"], 9],
  [["data: x\n", "\nda"], 2],
  [["data: x\r\n", "\r", "\nda"], 2],
  [["data: x\r\rda"], 2],
  [["data: x\r"], 8],
  [["data: x\r", "\rda"], 2],
  [["data: x\r", "\n"], 9],
  [["data: x\r", "\n", "\nda"], 2],
  [["data: x\n", "\r", "\r", "da"], 2],
  [["data: x\r", "\n\r\n"], 0],
  [["data: x\ndata: y\n", "data: z\n"], 24],
  [["x".repeat(10), "x".repeat(10)], 20],
])("§7 %j ends in an event of %d bytes", (chunks, size) => {
  const sizeOf = eventSize();
  expect(chunks.map((chunk) => sizeOf(bytes(chunk))).at(-1)).toBe(size);
});

test("§7 the size does not depend on where a stream is cut", () => {
  const text = fc
    .array(fc.constantFrom("x", "\n", "\r", "\r\n", "data: "), { maxLength: 40 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
      const sizeOf = eventSize();
      const last = places.slice(1).map((to, i) => sizeOf(bytes(whole.slice(places[i], to))));
      expect(last.at(-1)).toBe(eventSize()(bytes(whole)));
    }),
  );
});
