import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PoppetError } from "../error.ts";
import { mostSkillBytes, readSkill, type Skill } from "./skill.ts";

const base = mkdtempSync(join(tmpdir(), "poppet-skills-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
mkdirSync(join(base, "weekly-review"));
const file = join(base, "weekly-review/SKILL.md");

function skill(text: string): Promise<Skill> {
  writeFileSync(file, text);
  return readSkill({ base, folder: "weekly-review" });
}

async function refusal(text: string): Promise<string> {
  try {
    await skill(text);
    return "accepted";
  } catch (thrown) {
    if (!PoppetError.isInstance(thrown)) throw thrown;
    expect([thrown.code, thrown.exitCode]).toEqual(["skill_invalid", 2]);
    expect(thrown.message).toStartWith(file);
    expect(thrown.message).not.toContain("\n");
    return thrown.message.slice(file.length);
  }
}

const sample = `---
name: weekly-review
description: Reviews a week.
license: MIT
compatibility: Needs notes
metadata:
  author: me
  version: 1.0
allowed-tools: Read Bash(git:*)
---

# Review

Ask for the week.
`;
const lines = sample.split("\n");

test("C6 a skill has the fields of the format, all of them text, and its instructions", async () => {
  expect(await skill(sample)).toEqual({
    name: "weekly-review",
    description: "Reviews a week.",
    license: "MIT",
    compatibility: "Needs notes",
    metadata: { author: "me", version: "1.0" },
    allowedTools: ["Read", "Bash(git:*)"],
    path: file,
    text: "# Review\n\nAsk for the week.",
    notes: [],
  });
});

test("C6 only name and description have to be there; Windows line ends, quotes and folded text are read", async () => {
  const text =
    '---\r\nname: "weekly-review"\r\ndescription: >-\r\n  One\r\n  two\r\nallowed-tools:\r\n  - Read\r\n---\r\nGo.\r\nOn.';
  expect(await skill(text)).toMatchObject({
    description: "One two",
    license: null,
    allowedTools: ["Read"],
    text: "Go.\nOn.",
  });
});

test("C6 what the format does not have changes nothing and is noted with its line", async () => {
  const { notes } = await skill(sample.replace("license: MIT", "licence: MIT"));
  expect(notes).toEqual([
    `${file}:4: "licence" is no field of the format and changes nothing; did you mean "license"?`,
  ]);
});

test.each([
  ["", ":1: must begin with front matter"],
  ["# Review\n", ":1: must begin with front matter"],
  ["---\nname: weekly-review\n\nGo.\n", ":5: the front matter has no closing line of ---"],
  ["---\n---\nGo.", ":1: name is missing"],
  ["---\nname: weekly-review\n---\nGo.", ":1: description is missing"],
  ["---\nname: weekly-review\ndescription: d\n---\n\n", ":6: has no instructions after the front matter"],
  ["---\nname: weekly-review\ndescription: Use it: now\n---\nGo.", ":3: not valid YAML: "],
  ["---\nname: weekly-review\ndescription: Use it: now\n---\nGo.", "put a text that has a colon in quotes"],
  [
    "---\nname: weekly-review\nname: weekly-review\ndescription: d\n---\nGo.",
    ":3: not valid YAML: Map keys must be unique",
  ],
  ["---\nname: weekly-review\ndescription: *x\n---\nGo.", ":3: description must be text"],
  ["---\nname: weekly-review\ndescription: [a]\n---\nGo.", ":3: description must be text"],
  ["---\nname: weekly-review\ndescription: ' '\n---\nGo.", ":3: description is empty"],
  ["---\nname: weekly-review\ndescription: !x d\n---\nGo.", ":3: not valid YAML: Unresolved tag"],
  ["---\nname: Weekly\ndescription: d\n---\nGo.", ":2: name must be 1 to 64 lowercase"],
  ["---\ndescription: d\nname: daily-review\n---\nGo.", ':3: name must be the folder\'s, "weekly-review"'],
  ["---\n- a\n---\nGo.", ":2: must have a field a line"],
  ["---\nname: weekly-review\ndescription: d\nmetadata: x\n---\nGo.", ":4: metadata must be names with text"],
  ["---\nname: weekly-review\ndescription: d\nmetadata:\n  a: [1]\n---\nGo.", ":4: metadata must be names with text"],
  ["---\nname: weekly-review\ndescription: d\nallowed-tools: {a: b}\n---\nGo.", ":4: allowed-tools must be text"],
])("C6 %j is refused with the file and the line", async (text, expected) => {
  expect(await refusal(text)).toContain(expected);
});

test("C6 front matter that is nested too deeply, or too large, is refused", async () => {
  const begun = "---\nname: weekly-review\ndescription: d\nx: ";
  expect(await refusal(`${begun}${"[".repeat(9_000)}\n---\nGo.`)).toStartWith(":4: not valid YAML: ");
  const rest = 16_384 - (begun.length - 4) - 1;
  expect(await refusal(`${begun}${"x".repeat(rest)}\n---\nGo.`)).toBe("accepted");
  expect(await refusal(`${begun}${"x".repeat(rest + 1)}\n---\nGo.`)).toContain("larger than 16384 bytes");
});

test("C6 broken at each line of the front matter, the error names that line", async () => {
  for (const [i, line] of lines.entries()) {
    if (i === 0 || i > 8) continue;
    const broken = lines.with(i, line.replace(/^( *)([\w-]+):/, '$1$2: "x" y:')).join("\n");
    expect([i, await refusal(broken)]).toEqual([i, expect.stringMatching(new RegExp(`^:${i + 1}: not valid YAML: `))]);
  }
});

test("C6 cut at any character or without any line: read, or refused with a line, and never anything else", async () => {
  let refused = 0;
  for (let at = 0; at < sample.length; at++) if ((await refusal(sample.slice(0, at))) !== "accepted") refused++;
  expect(refused).toBeGreaterThan(150);
  for (const i of lines.keys()) expect(await refusal(lines.toSpliced(i, 1).join("\n"))).toMatch(/^accepted$|^:\d+: /);
});

test("C6 limits are inclusive and count characters", async () => {
  const with_ = (description: string, compatibility: string) =>
    sample.replace("Reviews a week.", description).replace("Needs notes", compatibility);
  expect(await refusal(with_("😀".repeat(1024), "é".repeat(500)))).toBe("accepted");
  expect(await refusal(with_("😀".repeat(1025), "x"))).toContain(":3: description is longer than 1024 characters by 1");
  expect(await refusal(with_("x", "é".repeat(501)))).toContain(":5: compatibility is longer than 500 characters by 1");
  const rest = mostSkillBytes - Buffer.byteLength(sample);
  expect(await refusal(sample + "x".repeat(rest))).toBe("accepted");
  expect(await refusal(sample + "x".repeat(rest + 1))).toContain(`is larger than ${mostSkillBytes} bytes by 1`);
});

test("C6 names that JavaScript knows are names like others", async () => {
  const { metadata, notes } = await skill(sample.replace("author", "__proto__").replace("license", "constructor"));
  expect(Object.entries(metadata)).toContainEqual(["__proto__", "me"]);
  expect(notes).toHaveLength(1);
});
