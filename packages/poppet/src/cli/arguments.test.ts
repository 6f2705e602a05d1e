import { expect, test } from "bun:test";
import { normalizeArguments } from "./arguments.ts";

test("C1 long options may have one dash; text and what follows -- stay", () => {
  expect(normalizeArguments(["-limit", "3", "-base-url=x", "-h", "-", "-5", "-x y", "--json", "--", "-limit"])).toEqual(
    [...["--limit", "3", "--base-url=x", "-h", "-", "-5", "-x y", "--json", "--", "-limit"]],
  );
});
