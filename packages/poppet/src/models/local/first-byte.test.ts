import { expect, test } from "bun:test";
import { networkReason } from "./first-byte.ts";

test.each([
  [
    "The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()",
    "The socket connection was closed unexpectedly",
  ],
  ["Unable to connect. Is the computer able to access the url?", "Unable to connect"],
  ["certificate has expired", "certificate has expired"],
])("P2 of %j a person reads %j", (words, expected) => {
  expect(networkReason(new Error(words))).toBe(expected);
});
