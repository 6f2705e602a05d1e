import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Key, openKeyReader } from "./keys.ts";

function keysOf(...chunks: readonly string[]): readonly Key[] {
  const reader = openKeyReader();
  return [...chunks.flatMap((chunk) => [...reader.push(chunk)]), ...reader.flush()];
}

const whole: { readonly [sent: string]: readonly Key[] } = {
  a: [{ name: "text", text: "a" }],
  é漢: [{ name: "text", text: "é漢" }],
  "\r": [{ name: "enter" }],
  "\x1b[A": [{ name: "up" }],
  "\x1bOB": [{ name: "down" }],
  "\x1b[1;5C": [{ name: "other" }],
  "\x1bx": [{ name: "other" }],
  "\x1b": [{ name: "escape" }],
  "\x1b[200~two\nlines\x1b[201~": [{ name: "paste", text: "two\nlines" }],
  "\x03": [{ name: "interrupt" }],
  "\x04": [{ name: "end-of-input" }],
  "\x1a": [{ name: "suspend" }],
  "\x7f": [{ name: "backspace" }],
  "\x00": [{ name: "other" }],
};

test("P2 what a terminal sends is read as keys", () => {
  for (const [sent, keys] of Object.entries(whole)) expect(keysOf(sent)).toEqual(keys);
});

test("P2 the keys do not depend on how the bytes were split", () => {
  const merged = (keys: readonly Key[]) => {
    const all: Key[] = [];
    for (const key of keys) {
      const last = all.at(-1);
      if (key.name === "text" && last?.name === "text") all[all.length - 1] = { ...key, text: last.text + key.text };
      else all.push(key);
    }
    return all;
  };
  const stream = fc.array(
    fc.constantFrom(...Object.keys(whole), "\x1b[", "\x1bO", "\x1b[0;0;0;0;0;0;0;0;0;0;0;", "text"),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(stream, fc.array(fc.nat(40)), (sent, cuts) => {
      const text = sent.join("");
      const at = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
      const chunks = [...at, text.length].map((end, i) => text.slice(at[i - 1] ?? 0, end));
      expect(merged(keysOf(...chunks))).toEqual(merged(keysOf(text)));
    }),
  );
});

test("P2 a sequence without an end grows no memory and ends", () => {
  const reader = openKeyReader();
  for (let i = 0; i < 100; i++) reader.push("\x1b[0;0;0;0;0;0;0;0;");
  expect(reader.push("\r").at(-1)).toEqual({ name: "enter" });
  expect(reader.waiting()).toBe(false);
});
