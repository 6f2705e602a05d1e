import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutBytes, cutCodePoints, utf8Length } from "./text.ts";

const text = fc.string({ unit: "binary", maxLength: 60 });

test("C12 the length of any text in UTF-8, lone surrogates included", () => {
  const units = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((list) => String.fromCharCode(...list));
  fc.assert(fc.property(units, (s) => utf8Length(s) === new TextEncoder().encode(s).length));
});

test("C12 a cut by bytes is the longest beginning that fits, and splits no code point", () => {
  fc.assert(
    fc.property(text, fc.nat(80), (s, limit) => {
      const cut = cutBytes(s, limit);
      expect(s.startsWith(cut)).toBe(true);
      expect(utf8Length(cut)).toBeLessThanOrEqual(limit);
      expect(cut.isWellFormed()).toBe(true);
      const next = [...s.slice(cut.length)][0];
      if (next !== undefined) expect(utf8Length(cut + next)).toBeGreaterThan(limit);
    }),
  );
});

test("C9 a cut by code points keeps at most that many, whole", () => {
  fc.assert(
    fc.property(text, fc.nat(80), (s, limit) => expect(cutCodePoints(s, limit)).toBe([...s].slice(0, limit).join(""))),
  );
});
