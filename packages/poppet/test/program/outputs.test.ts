/** Outputs that nobody reads, that fill up, or that are read slowly, for every command that prints. */
import { afterAll, expect, test } from "bun:test";
import { answeredSession, openHome, withoutReader } from "./home.ts";

const home = await openHome({ replies: [], afterLast: "repeat", models: ["test-model"] });
const session = await answeredSession(home);
afterAll(() => home[Symbol.asyncDispose]());

const printing: readonly (readonly string[])[] = [
  ["--version"],
  ["--help"],
  ["chat", "sessions"],
  ["chat", "show", session],
  ["chat", "search", "Hi"],
  ["sessions"],
  ["show", session],
  ["config", "path"],
  ["config", "show"],
  ["models"],
  ["doctor"],
  ["completion", "bash"],
];

test.each(printing.map((given) => [given]))(
  "§8.23 %j: a reader that has gone is no failure, and a full disk is one",
  async (given) => {
    await using left = home.shell(`${withoutReader} "$@" >&4; echo "exit $?" >&2`, ...given);
    expect((await left.ended()).stderr).toBe("exit 0\n");
    await using full = home.shell(`"$@" > /dev/full`, ...given);
    expect(await full.ended()).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: "poppet: The output cannot be written: the disk is full.\n",
    });
  },
);

test("C1 an answer can go into a file", async () => {
  await using child = home.shell(`"$@" > "$HOME/answer"; cat "$HOME/answer"`, "chat", "send", session, "Hi");
  expect(await child.ended()).toMatchObject({ code: 0, stdout: "Hello.\n" });
});
