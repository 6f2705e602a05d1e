import { expect, test } from "bun:test";
import { TranscriptMovedError } from "../errors.ts";
import { equal, throws } from "./expectations.ts";

const entry = (summary: string | null) => ({ id: "a", content: { role: "user", text: "long" }, summary });

test("L7 what is not equal is told by the first place where it is not", () => {
  const differ = (actual: unknown, expected: unknown) => () => equal(actual, expected);
  expect(differ([entry(null), entry("")], [entry(null), entry("new\0")])).toThrow(
    'at 1.summary: expected "new\\u0000"\n     got ""',
  );
  expect(differ({ a: [1] }, { a: [1, 2] })).toThrow("at a.1: expected 2\n     got undefined");
  expect(differ({ a: 1, b: 2 }, { a: 1 })).toThrow("at b: expected undefined\n     got 2");
  expect(differ({ a: [] }, { a: {} })).toThrow("at a: expected {}\n     got []");
  expect(differ(null, "x")).toThrow('expected "x"\n     got null');
  expect(differ(undefined, null)).toThrow("expected null\n     got undefined");
  expect(differ({ b: 1, a: undefined }, { b: 1 })).not.toThrow();
});

test("L7 an error of another copy of the package is of its kind; another error is told with what was expected", async () => {
  const foreign = Object.assign(new Error("moved"), { code: "transcript_moved" });
  Object.defineProperty(foreign, Symbol.for("@poppet/chat.error"), { value: true });
  await throws(TranscriptMovedError, () => Promise.reject(foreign));

  const locked = new Error("database is locked");
  const told = await throws(TranscriptMovedError, () => Promise.reject(locked)).catch((thrown: Error) => thrown);
  expect(told).toMatchObject({ message: "expected TranscriptMovedError, this was thrown: Error: database is locked" });
  expect(told).toMatchObject({ cause: locked });
});
