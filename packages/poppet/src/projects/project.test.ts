import { afterAll, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { PoppetError } from "../error.ts";
import { isName } from "../named-folder.ts";
import { openLibrary } from "./library.ts";
import { mostInstructionBytes, type Project, readProject } from "./project.ts";
import { readSelection } from "./selection.ts";

const settings = mkdtempSync(join(tmpdir(), "poppet-projects-"));
afterAll(() => rmSync(settings, { recursive: true, force: true }));
const base = join(settings, "projects");
const folder = join(base, "acorn");
const file = join(folder, "project.toml");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "how.md"), "\nBe brief.\n");

function project(text: string): Promise<Project> {
  writeFileSync(file, text);
  return readProject({ base, folder: "acorn" });
}

async function refusal(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
    return "accepted";
  } catch (thrown) {
    if (!PoppetError.isInstance(thrown)) throw thrown;
    expect(thrown.message).not.toContain("\n");
    return `${thrown.code} ${thrown.exitCode} ${thrown.message.replace(folder, "")}`;
  }
}

const sample = `# The project
name = "acorn"
instructions = "how.md"

notes = [
  "acorn/*.md",
  'plan.md',
]
skills = ["weekly-review"]
`;

test("C7 a project has instructions, and a selection of notes and skills where it makes one", async () => {
  expect(await project(sample)).toEqual({
    ...{ name: "acorn", path: file, instructions: "Be brief.", instructionsPath: join(folder, "how.md") },
    ...{ notes: ["acorn/*.md", "plan.md"], skills: ["weekly-review"] },
  });
  const bare = await project('name = "acorn"\ninstructions = "how.md"\n');
  expect([bare.notes, bare.skills]).toEqual([null, null]);
  const none = await project('name = "acorn"\ninstructions = "how.md"\nnotes = []\nskills = []\n');
  expect([none.notes, none.skills]).toEqual([[], []]);
});

test.each([
  ["", "/project.toml:1: name is missing"],
  ['name = "acorn"', "/project.toml:1: instructions is missing"],
  ['# x\nname = "oak"\ninstructions = "how.md"', '/project.toml:2: name must be the folder\'s, "acorn"'],
  ["name = 3", "/project.toml:1: name must be the name of the project's folder"],
  [
    'name = "acorn"\ninstrctions = "how.md"',
    '/project.toml:2: instrctions is no setting: known here are name, instructions, notes, skills; did you mean "instructions"?',
  ],
  ['name = "acorn"\ninstructions = "how.md', "/project.toml:2: not valid TOML: "],
  ['name = "acorn"\nname = "acorn"', "not valid TOML"],
  ['name = "acorn"\ninstructions = "gone.md"', "/gone.md: is not there."],
  [
    'name = "acorn"\ninstructions = "../how.md"',
    "/project.toml:2: instructions must be a file in the project's folder",
  ],
  ['name = "acorn"\ninstructions = "/etc/passwd"', "/project.toml:2: instructions must be a file"],
  ['name = "acorn"\ninstructions = "."', "/project.toml:2: instructions must be a file"],
  ['name = "acorn"\ninstructions = "a\\\\b"', "/project.toml:2: instructions must be a file"],
  [sample.replace("'plan.md'", '"../plan.md"'), "/project.toml:7: notes must be a list of at most 1000 names or globs"],
  [sample.replace("'plan.md'", '"../plan.md"'), "; entry 2 is none"],
  [
    sample.replace('"weekly-review"', '"x", 3'),
    "/project.toml:9: skills must be a list of at most 1000 names of skills",
  ],
  ['notes = "a.md"\n', "/project.toml:1: notes must be a list of at most 1000"],
  ["[notes]\nx = 1", "/project.toml:1: notes must be a list"],
])("C7 %j is refused with the file and the line", async (text, expected) => {
  const message = await refusal(project(text));
  expect(message).toStartWith("project_invalid 2 /");
  expect(message).toContain(expected);
});

test("C7 every line of a project.toml that is broken is the one that is named", async () => {
  for (const [i, line] of sample.split("\n").entries()) {
    if (!line.includes("=")) continue;
    const broken = sample.split("\n").with(i, line.replace("=", "= =")).join("\n");
    expect([i, await refusal(project(broken))]).toEqual([
      i,
      expect.stringContaining(`/project.toml:${i + 1}: not valid TOML`),
    ]);
  }
});

test("C7 the file of instructions: in the folder whatever links say, with something in it, within its limit", async () => {
  const text = 'name = "acorn"\ninstructions = "x.md"\n';
  const path = join(folder, "x.md");
  writeFileSync(join(settings, "outside.md"), "a secret");
  symlinkSync(join(settings, "outside.md"), path);
  expect(await refusal(project(text))).toMatch(/project_invalid 2 \/x.md: is a link, .*leads out of its folder/);
  rmSync(path);
  writeFileSync(path, " \n");
  expect(await refusal(project(text))).toContain("/x.md:1: has no instructions");
  writeFileSync(path, "x".repeat(mostInstructionBytes));
  expect(await refusal(project(text))).toBe("accepted");
  writeFileSync(path, "x".repeat(mostInstructionBytes + 1));
  expect(await refusal(project(text))).toContain(`is larger than ${mostInstructionBytes} bytes by 1`);
});

test("C7 create makes a project that is right, for its owner alone, and leaves one that is there as it is", async () => {
  const library = openLibrary(settings);
  const made = await library.createProject("oak");
  expect(made).toMatchObject({ name: "oak", notes: null, skills: null, instructions: expect.stringContaining("oak") });
  for (const path of ["", "/project.toml", "/instructions.md"]) {
    expect(statSync(join(base, `oak${path}`)).mode & 0o777).toBe(path === "" ? 0o700 : 0o600);
  }
  const before = readFileSync(join(base, "oak/project.toml"), "utf8");
  expect(await refusal(library.createProject("oak"))).toContain("project_exists 1 ");
  expect(readFileSync(join(base, "oak/project.toml"), "utf8")).toBe(before);
  // What the comments of the file offer is right too.
  writeFileSync(join(base, "oak/project.toml"), before.replaceAll(/^# (notes|skills)/gm, "$1"));
  expect(await library.showProject("oak")).toMatchObject({ notes: ["oak/*.md"], skills: ["weekly-review"] });
  for (const name of ["../oak", "Oak", "", "a/b"])
    expect(await refusal(library.createProject(name))).toContain("project_unknown 2 ");
  expect(readdirSync(base).sort()).toEqual(["acorn", "oak"]);
});

test("C7 a list's limits are inclusive", async () => {
  const notes = (list: readonly string[]) =>
    refusal(project(`name = "acorn"\ninstructions = "how.md"\nnotes = ${JSON.stringify(list)}\n`));
  expect(await notes(Array(1000).fill("a"))).toBe("accepted");
  expect(await notes(Array(1001).fill("a"))).toContain("/project.toml:3: notes must be a list of at most 1000");
  expect(await notes(["a".repeat(256)])).toBe("accepted");
  expect(await notes(["a".repeat(257)])).toContain("; entry 1 is none");
});

test("C7 a broken project is listed with its fault, and so is one that offers a skill that is nowhere", async () => {
  writeFileSync(file, "name = acorn\n");
  const listed = await openLibrary(settings).listProjects();
  expect(listed.map(({ name, fault }) => [name, fault])).toEqual([
    ["acorn", expect.stringContaining("project.toml:1: not valid TOML")],
    ["oak", expect.stringContaining('skills: No skill "weekly-review"')],
  ]);
  const { skills, projects } = openLibrary(settings).names();
  expect([skills, projects]).toEqual([[], ["acorn", "oak"]]);
  expect((await openLibrary(settings).check()).map(({ ok }) => ok)).toEqual([true, false]);
});

test("C7 a folder of skills that leads out of the project is the project's fault, and names nothing that is outside", async () => {
  const library = openLibrary(settings);
  mkdirSync(join(settings, "outside/hidden"), { recursive: true });
  writeFileSync(join(settings, "outside/hidden/SKILL.md"), "a secret");
  await library.createProject("elm");
  symlinkSync(join(settings, "outside"), join(base, "elm/skills"));
  expect(library.names().skills).toEqual([]);
  expect(await library.listSkills()).toEqual([]);
  const elm = (await library.listProjects()).find(({ name }) => name === "elm");
  expect(elm?.fault).toContain("/projects/elm/skills: is a link, or in one, that leads out of its folder");
  expect(await refusal(library.showSkill("hidden", "elm"))).toMatch(/skill_invalid 2 .*leads out of its folder/);
});

test("C7 create says why it cannot, and leaves nothing behind", async () => {
  const blocked = join(settings, "blocked");
  mkdirSync(blocked);
  writeFileSync(join(blocked, "projects"), "");
  expect(await refusal(openLibrary(blocked).createProject("acorn"))).toMatch(
    /^project_unwritable 1 .*it is no folder\. Make/,
  );
  expect(readdirSync(blocked)).toEqual(["projects"]);
});

test("C6 C7 a name that is none is refused wherever it is given, and makes nothing", async () => {
  const library = openLibrary(settings);
  const before = readdirSync(settings, { recursive: true }).length;
  const part = fc.constantFrom(
    "..",
    ".",
    "/",
    "acorn",
    "elm",
    "skills",
    "outside",
    "hidden",
    "\\\\",
    "\0",
    " ",
    "~",
    "%2e",
    "A",
    "-",
  );
  const name = fc.oneof(
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join("")),
    fc.string(),
  );
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(name, async (given) => {
      if (isName(given)) return;
      refused++;
      expect(await refusal(library.showProject(given))).toStartWith("project_unknown 2 ");
      expect(await refusal(library.createProject(given))).toStartWith("project_unknown 2 ");
      expect(await refusal(library.showSkill(given, null))).toStartWith("skill_unknown 2 ");
      expect(await refusal(library.showSkill(given, "oak"))).toStartWith("skill_unknown 2 ");
      expect(await refusal(readSelection(settings, { skill: given, project: null }))).toStartWith("skill_unknown 2 ");
      expect(await refusal(readSelection(settings, { skill: null, project: given }))).toStartWith("project_unknown 2 ");
    }),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(100);
  expect(readdirSync(settings, { recursive: true })).toHaveLength(before);
});
