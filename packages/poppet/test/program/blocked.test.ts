/** What stands in the way of the program's files: said by name and in words, with what to do; never by a system's code. */
import { expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Home, openHome } from "./home.ts";

const file = (path: string) => writeFile(path, "I am a file");
const folder = (path: string) => mkdir(path, { recursive: true, mode: 0o700 });
const elsewhere = (variable: string) => new RegExp(`Put that right, or [^\\n]*${variable}`);

interface Blocked {
  readonly what: string;
  readonly where: (home: Home) => string;
  readonly block: (path: string) => Promise<unknown>;
  readonly commands: readonly (readonly string[])[];
  readonly reason: string;
  readonly advice: RegExp;
}

const everyday = [
  ["chat", "new", "hi"],
  ["chat", "send", "x", "hi"],
  ["chat", "sessions"],
  ["chat", "show", "x"],
  ["chat", "search", "x"],
  ["chat", "rename", "x", "y"],
];

const cases: readonly Blocked[] = [
  {
    ...{ what: "the data folder is a file", where: (home: Home) => home.data, block: file },
    ...{ commands: everyday, reason: "it is no folder", advice: elsewhere("POPPET_HOME") },
  },
  {
    ...{ what: "the database is a folder", where: (home: Home) => join(home.data, "poppet.db"), block: folder },
    ...{ commands: everyday, reason: "it is a folder", advice: elsewhere("POPPET_HOME") },
  },
  {
    ...{ what: "the search index is a folder", where: (home: Home) => join(home.data, "search.db"), block: folder },
    ...{ commands: [["chat", "search", "x"]], reason: "it is a folder", advice: elsewhere("POPPET_HOME") },
  },
  {
    ...{ what: "the owners' folder is a file", where: (home: Home) => join(home.data, "owners"), block: file },
    ...{ commands: [["chat", "new", "hi"]], reason: "it is no folder", advice: elsewhere("POPPET_HOME") },
  },
  {
    ...{ what: "the models' folder is a file", where: (home: Home) => join(home.data, "models"), block: file },
    ...{ commands: [["models", "local"]], reason: "something on its path is no folder" },
    advice: elsewhere("POPPET_HOME"),
  },
  {
    ...{ what: "the models' folder is a file", where: (home: Home) => join(home.data, "models"), block: file },
    ...{ commands: [["models", "pull", "smollm2-135m"]], reason: "it is no folder", advice: /Could not pull/ },
  },
  {
    ...{ what: "the settings file is a folder", where: (home: Home) => home.config, block: folder },
    commands: [
      ["chat", "new", "hi"],
      ["config", "show"],
      ["setup", "--provider", "local", "--model", "m"],
    ],
    ...{ reason: "it is a folder", advice: elsewhere("POPPET_CONFIG") },
  },
];

test.each(cases)("§7 $what: one line says so, and what to do", async ({ where, block, commands, reason, advice }) => {
  await using home = await openHome();
  const path = where(home);
  await folder(join(path, ".."));
  await rm(path, { recursive: true, force: true });
  await block(path);
  for (const given of commands) {
    const { code, stdout, stderr } = await home.poppet(...given);
    expect([given, code, stdout]).toEqual([given, 1, ""]);
    expect(stderr).toMatch(/^poppet: [^\n]+\n$/);
    expect(stderr).toContain(path);
    expect(stderr).toContain(reason);
    expect(stderr).toMatch(advice);
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|internal error/);
  }
});
