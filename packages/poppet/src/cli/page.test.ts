import { expect, test } from "bun:test";
import { pagerCommand } from "./page.ts";

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
