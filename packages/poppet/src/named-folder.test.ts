import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { PoppetError } from "./error.ts";
import { isName, namesIn, readWithin } from "./named-folder.ts";

const root = mkdtempSync(join(tmpdir(), "poppet-named-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const secret = "the secret that lies outside";
const base = join(root, "skills");
mkdirSync(join(base, "inside/sub"), { recursive: true });
mkdirSync(join(base, "other"));
mkdirSync(join(root, "outside"));
for (const path of ["outside/file.md", "file.md", "skills/file.md", "skills/other/file.md"]) {
  writeFileSync(join(root, path), secret);
}
writeFileSync(join(base, "inside/file.md"), "inside");
writeFileSync(join(base, "inside/sub/file.md"), "inside");
symlinkSync(join(root, "outside/file.md"), join(base, "inside/link.md"));
symlinkSync(join(root, "outside"), join(base, "inside/linked"));
symlinkSync("../other", join(base, "inside/neighbour"));
symlinkSync("file.md", join(base, "inside/near.md"));
symlinkSync("gone.md", join(base, "inside/dangling.md"));
symlinkSync("loop.md", join(base, "inside/loop.md"));
symlinkSync(join(root, "outside"), join(base, "escape"));
symlinkSync(base, join(root, "linked-base"));

function read(folder: string, file: string, limit = 1000, from = base): string {
  try {
    return readWithin({ base: from, folder }, file, limit, "skill_invalid").text;
  } catch (thrown) {
    if (!PoppetError.isInstance(thrown)) throw thrown;
    expect(thrown.message).not.toContain(secret);
    return `${thrown.code} ${thrown.message}`;
  }
}

test("C6 a name is lowercase letters, digits and single hyphens, 1 to 64", () => {
  for (const name of ["a", "0", "weekly-review", "a-b-c-1", "a".repeat(64)])
    expect([name, isName(name)]).toEqual([name, true]);
  const wrong = [
    "",
    "-a",
    "a-",
    "a--b",
    "A",
    "é",
    "a_b",
    "a b",
    "a\n",
    ".",
    "..",
    "a/b",
    "../a",
    "a\\b",
    "a\0",
    "a".repeat(65),
  ];
  for (const name of wrong) expect([name, isName(name)]).toEqual([name, false]);
});

test("C6 C7 what leads out of the folder is not read: links to a file, to a folder, to a neighbour, of the folder itself", () => {
  for (const file of [
    "link.md",
    "linked/file.md",
    "neighbour/file.md",
    "../other/file.md",
    "../../file.md",
    "sub/../../file.md",
  ]) {
    expect(read("inside", file)).toMatch(/^skill_invalid .*leads out of its folder/);
  }
  expect(read("escape", "file.md")).toMatch(/leads out of its folder/);
});

test("C6 C7 a link that stays in the folder is followed, and the base may be a link", () => {
  expect(read("inside", "near.md")).toBe("inside");
  expect(read("inside", "file.md", 1000, join(root, "linked-base"))).toBe("inside");
});

test("C6 C7 what cannot be read is an error that names the file", () => {
  expect(read("inside", "gone.md")).toBe(`skill_invalid ${base}/inside/gone.md: is not there.`);
  expect(read("inside", "dangling.md")).toMatch(/is not there/);
  expect(read("inside", "loop.md")).toMatch(/cannot be read: its links lead round in a circle/);
  expect(read("inside", "sub")).toMatch(/is no file/);
});

test("C6 C7 no name and no path gets the text of a file outside of the folder", () => {
  const part = fc.constantFrom(
    "..",
    ".",
    "",
    "inside",
    "other",
    "escape",
    "sub",
    "linked",
    "neighbour",
    "link.md",
    "file.md",
    "near.md",
    "skills",
    "outside",
    "~",
    "%2e%2e",
    "..\\",
  );
  const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"));
  let inside = 0;
  fc.assert(
    fc.property(fc.constantFrom("inside", "escape", "inside"), path, (folder, file) => {
      const text = read(folder, file);
      expect(text).not.toContain(secret);
      if (text === "inside") inside++;
    }),
    { numRuns: 3000 },
  );
  expect(inside).toBeGreaterThan(0);
});

test("C6 C7 a limit of bytes is inclusive, and the error says by how much it was passed", () => {
  writeFileSync(join(base, "inside/large.md"), "é".repeat(50));
  expect(read("inside", "large.md", 101)).toHaveLength(50);
  expect(read("inside", "large.md", 100)).toHaveLength(50);
  expect(read("inside", "large.md", 99)).toMatch(/is larger than 99 bytes by 1; shorten it/);
});

test("C6 C7 only UTF-8 text, with the line of what is none", () => {
  const cases: [string | Uint8Array, string][] = [
    ["\uFEFFa\r\nb\r\n", "a\nb\n"],
    [Buffer.concat([Buffer.from("é\n\nb"), Buffer.from([0xff]), Buffer.from("\n\nc")]), ":3: is not UTF-8"],
    [Buffer.from([0xc3]), ":1: is not UTF-8"],
    [Buffer.from("a\0b", "utf16le"), ":1: has a NUL"],
    ["a\nb\n\0", ":3: has a NUL"],
    ["", ""],
  ];
  for (const [bytes, expected] of cases) {
    writeFileSync(join(base, "inside/text.md"), bytes);
    expect(read("inside", "text.md")).toContain(expected);
  }
});

test("C6 C7 listed are folders and links to them or to nowhere, in order, hidden ones and files not; no folder is an empty list", () => {
  expect(namesIn(base, "skill_invalid")).toEqual(["escape", "inside", "other"]);
  expect(namesIn(join(root, "nowhere"), "skill_invalid")).toEqual([]);
  expect(namesIn(root, "skill_invalid", "skills/inside")).toEqual([
    "dangling.md",
    "linked",
    "loop.md",
    "neighbour",
    "sub",
  ]);
  expect(() => namesIn(root, "skill_invalid", "skills/escape")).toThrow("leads out of its folder");
  expect(() => namesIn(join(base, "file.md"), "skill_invalid")).toThrow(
    "cannot be read: something on its path is no folder",
  );
});

test("C6 C7 a pipe is not waited for", () => {
  expect(Bun.spawnSync(["mkfifo", join(base, "inside/pipe.md")]).exitCode).toBe(0);
  expect(read("inside", "pipe.md")).toMatch(/is no file/);
});
