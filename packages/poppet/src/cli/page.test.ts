import { expect, test } from "bun:test";
import { isLonger, pagerCommand } from "./page.ts";

test.each([
  [{}, "less -FRX"],
  [{ PAGER: "more" }, "more"],
  [{ PAGER: "less -S -R" }, "less -S -R"],
  [{ PAGER: "more", POPPET_PAGER: "most" }, "most"],
  [{ PAGER: "more", POPPET_PAGER: "" }, null],
  [{ PAGER: "" }, null],
  [{ PAGER: " cat " }, null],
])("C2 the pager of %j is %j", (env, expected) => {
  expect(pagerCommand(env, (name) => `/usr/bin/${name}`)).toBe(expected);
});

test("C2 where less is missing there is no pager, but one that is named", () => {
  expect(pagerCommand({}, () => null)).toBeNull();
  expect(pagerCommand({ PAGER: "more" }, () => null)).toBe("more");
});

test.each([
  ["a\nb\n", 3, false],
  ["a\nb\nc\n", 3, true],
  ["a".repeat(20), 3, false],
  ["a".repeat(21), 3, true],
  ["漢".repeat(10), 3, false],
  ["漢".repeat(11), 3, true],
  ["\t\ta", 3, false],
  ["\t\t\ta", 3, true],
])("C2 whether %j and a prompt after it take more than %d rows of ten columns: %p", (text, rows, longer) => {
  expect(isLonger(text, 10, rows)).toBe(longer);
});
