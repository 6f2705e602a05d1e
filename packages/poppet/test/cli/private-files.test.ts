import { expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { emptyHome, ended, program } from "./start.ts";

test("S0 whatever the umask, every file that the program makes is 0600 and every folder 0700", async () => {
  await using home = await emptyHome();
  const open = (...given: string[]) =>
    ended(["sh", "-c", 'umask 000; exec "$@"', "sh", ...program(...given)], { env: home.env });
  expect((await open("setup", "--provider", "local", "--model", "none")).code).toBe(0);
  expect((await open("chat", "new", "hi")).code).toBe(1);
  expect((await open("chat", "search", "hi")).code).toBe(0);
  const made = (await readdir(home.path, { recursive: true })).filter((name) => name.includes("poppet"));
  expect(made).toContain(".local/share/poppet/search.db");
  for (const name of made) {
    const { mode } = await stat(join(home.path, name));
    expect([name, (mode & 0o777) | 0o100]).toEqual([name, 0o700]);
  }
});
