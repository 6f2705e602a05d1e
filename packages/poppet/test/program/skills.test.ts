import { describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startChild } from "./child.ts";
import { type Home, openHome, program, say, sessionOf } from "./home.ts";

async function put(home: Home, path: string, text: string): Promise<string> {
  const file = join(home.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

function skill(name: string, text = "Ask for the week."): string {
  return `---\nname: ${name}\ndescription: What ${name} does\n---\n${text}\n`;
}

describe("C6 C7 chat new --skill NAME --project NAME", () => {
  test("each turn has the saved instructions, though the files change and go; chat show and chat sessions have them", async () => {
    await using home = await openHome([say("One."), say("Two.")]);
    await put(home, "skills/weekly-review/SKILL.md", skill("weekly-review"));
    expect((await home.poppet("projects", "create", "acorn")).code).toBe(0);
    const first = await home.poppet("chat", "new", "--coding", "--skill", "weekly-review", "--project=acorn", "Go");
    expect([first.code, first.stdout]).toEqual([0, "One.\n"]);
    await rm(join(home.path, "skills"), { recursive: true });
    await rm(join(home.path, "projects"), { recursive: true });
    const id = sessionOf(first.stderr);
    expect((await home.poppet("chat", "send", id, "On")).stdout).toBe("Two.\n");
    const systems = home.server.requests.map(({ body }) => (body.messages as { content: string }[])[0]?.content ?? "");
    expect(systems[0]).toContain("Ask for the week.");
    expect(systems[0]).toContain("This conversation belongs to the project acorn.");
    expect(systems[1]).toBe(systems[0] ?? "");
    const { session } = await home.show(id);
    expect(session).toMatchObject({
      ...{ workload: "coding", skill: { name: "weekly-review", text: "Ask for the week." } },
      project: { name: "acorn", instructions: "This conversation belongs to the project acorn.", notes: null },
    });
    const { sessions } = JSON.parse((await home.poppet("chat", "sessions")).stdout);
    expect([sessions[0].skill, sessions[0].project]).toEqual([
      { name: "weekly-review" },
      { name: "acorn", notes: null },
    ]);
  });

  test("unknown, broken or too large: one line, exit 2, nothing saved and nothing sent", async () => {
    await using home = await openHome([], { settings: "\n[limits]\ncontextBytes = 200\n" });
    await put(home, "skills/weekly-review/SKILL.md", skill("weekly-review", "x".repeat(200)));
    await put(home, "skills/broken/SKILL.md", "---\nname: broken\ndescription: a: b\n---\nGo.\n");
    const cases = [
      [["--skill", "weekly-revew"], 'No skill "weekly-revew"; did you mean "weekly-review"?'],
      [["--skill", "broken"], "/skills/broken/SKILL.md:3: not valid YAML: "],
      [["--skill", "weekly-review"], 'skill "weekly-review" are too large for the model\'s context by '],
      [["--skill", "../skills/weekly-review"], "is no skill's name"],
      [["--project", "acorn"], "poppet projects create acorn"],
      [["--project", "../.."], "is no project's name"],
    ] as const;
    for (const [flags, expected] of cases) {
      const { code, stdout, stderr } = await home.poppet("chat", "new", ...flags, "Go");
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^poppet: [^\n]*\n$/);
      expect(stderr).toContain(expected);
    }
    expect(JSON.parse((await home.poppet("chat", "sessions")).stdout)).toEqual({ sessions: [] });
    expect(home.server.requests).toEqual([]);
  });
});

describe("T11 skills", () => {
  test("list has all of them, a broken one with its fault; in a terminal a table", async () => {
    await using home = await openHome();
    expect(JSON.parse((await home.poppet("skills")).stdout)).toEqual({ skills: [] });
    const path = await put(home, "skills/weekly-review/SKILL.md", skill("weekly-review"));
    await put(home, "projects/acorn/skills/plan/SKILL.md", skill("plan"));
    const broken = await put(home, "skills/a-broken/SKILL.md", "Go.");
    const { code, stdout } = await home.poppet("skills", "list");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).skills).toEqual([
      {
        name: "a-broken",
        project: null,
        path: broken,
        description: null,
        fault: `${broken}:1: must begin with front matter between two lines of ---`,
      },
      { name: "weekly-review", project: null, path, description: "What weekly-review does", fault: null },
      expect.objectContaining({ name: "plan", project: "acorn", description: "What plan does", fault: null }),
    ]);
    await using terminal = home.terminal(["skills"], { columns: 60, rows: 20 });
    await terminal.exited();
    const lines = (await terminal.screen()).split("\n");
    expect(lines.map((line) => line.slice(0, 40).trimEnd())).toEqual([
      "a-broken                 broken: SKILL.m",
      "weekly-review            What weekly-rev",
      "plan           in acorn  What plan does",
    ]);
  });

  test("show is what a new session would get; in a terminal nothing steers it", async () => {
    await using home = await openHome();
    await put(home, "skills/weekly-review/SKILL.md", skill("weekly-review", "Ask.\u001b[2Jx"));
    await put(
      home,
      "projects/acorn/project.toml",
      'name = "acorn"\ninstructions = "project.toml"\nskills = ["plan"]\n',
    );
    await put(home, "projects/acorn/skills/plan/SKILL.md", skill("plan"));
    const shown = JSON.parse((await home.poppet("skills", "show", "weekly-review")).stdout).skill;
    expect([shown.text, shown.project, shown.allowedTools]).toEqual(["Ask.\u001b[2Jx", null, []]);
    const inside = await home.poppet("skills", "show", "--project", "acorn", "plan");
    expect(JSON.parse(inside.stdout).skill.project).toBe("acorn");
    const other = await home.poppet("skills", "show", "--project", "acorn", "weekly-review");
    expect([other.code, other.stderr]).toEqual([
      2,
      'poppet: The project "acorn" offers only plan, and not "weekly-review"\n',
    ]);
    await using terminal = home.terminal(["skills", "show", "weekly-review"], { columns: 80, rows: 20 });
    await terminal.exited();
    expect(await terminal.screen()).toContain("description: What weekly-review does");
    expect(terminal.raw()).not.toContain("\u001b[2J");
  });

  test("check says what is wrong of all, of a name, of a path; exit 1 where something is", async () => {
    await using home = await openHome();
    await put(home, "skills/good/SKILL.md", skill("good").replace("---\nA", "model: x\n---\nA"));
    await put(home, "skills/bad/SKILL.md", skill("good"));
    await put(home, "elsewhere/other/SKILL.md", skill("other"));
    const all = await home.poppet("skills", "check");
    expect(all.code).toBe(1);
    expect(all.stdout).toContain("wrong  bad: ");
    expect(all.stdout).toContain('/skills/bad/SKILL.md:2: name must be the folder\'s, "bad"');
    const good = await home.poppet("skills", "check", "good");
    expect(good.code).toBe(0);
    expect(good.stdout).toContain('/skills/good/SKILL.md:4: "model" is no field of the format and changes nothing');
    const unknown = await home.poppet("skills", "check", "goood");
    expect([unknown.code, unknown.stderr]).toEqual([2, 'poppet: No skill "goood"; did you mean "good"?\n']);
    for (const path of ["elsewhere/other", "elsewhere/other/", "elsewhere/other/SKILL.md"]) {
      expect((await home.poppet("skills", "check", join(home.path, path))).code).toBe(0);
    }
    expect((await home.poppet("skills", "check", join(home.path, "elsewhere/none"))).code).toBe(1);
    expect((await home.poppet("skills", "check", "/")).code).toBe(2);
  });
});

describe("T11 projects", () => {
  test("create, list and show; made for the owner alone, and not twice", async () => {
    await using home = await openHome([], { provider: null });
    const made = await home.poppet("projects", "create", "acorn");
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const files = made.stdout.trimEnd().split("\n");
    expect(files).toEqual(["project.toml", "instructions.md"].map((name) => join(home.path, "projects/acorn", name)));
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(home.path, "projects/acorn"))).mode & 0o777).toBe(0o700);
    const again = await home.poppet("projects", "create", "acorn");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already; it was left as it is")]);
    expect((await home.poppet("projects", "create", "Acorn")).code).toBe(2);
    expect(JSON.parse((await home.poppet("projects")).stdout).projects).toEqual([
      { name: "acorn", path: files[0] ?? "", notes: null, skills: null, fault: null },
    ]);
    expect(JSON.parse((await home.poppet("projects", "show", "acorn")).stdout).project).toMatchObject({
      ...{ name: "acorn", instructions: "This conversation belongs to the project acorn.", notes: null, skills: null },
    });
    // What a person sees of it.
    await using terminal = home.terminal(["projects"], { columns: 80, rows: 10 });
    await terminal.exited();
    expect(await terminal.screen()).toBe("acorn  notes: all  skills: all");
    expect(await readFile(files[0] ?? "", "utf8")).toContain("# notes = ");
  });

  test("of many that make one project at once, one does, and nothing is left behind", async () => {
    await using home = await openHome([], { provider: null });
    const ends = await Promise.all(Array.from({ length: 4 }, () => home.poppet("projects", "create", "acorn")));
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1]);
    for (const { code, stderr } of ends) if (code === 1) expect(stderr).toContain("is there already");
    expect(await readdir(join(home.path, "projects"))).toEqual(["acorn"]);
  });
});

test("C6 C7 completion proposes names, and makes no folder", async () => {
  await using home = await openHome([], { provider: null });
  const proposed = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await home.poppet("__complete", "--", ...words);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]]));
  };
  // `.bun` is Bun's own, from source.
  const made = async () => (await readdir(home.path)).filter((name) => name !== ".bun").sort();
  expect(await proposed("chat", "new", "--skill", "")).toEqual([]);
  expect(await made()).toEqual([]);
  await put(home, "skills/weekly-review/SKILL.md", "broken");
  await put(home, "projects/acorn/skills/plan/SKILL.md", skill("plan"));
  expect(await proposed("chat", "new", "--skill", "")).toEqual(["plan", "weekly-review"]);
  expect(await proposed("chat", "new", "--project", "a")).toEqual(["acorn"]);
  expect(await proposed("skills", "show", "w")).toEqual(["weekly-review"]);
  expect(await proposed("projects", "show", "a")).toEqual(["acorn"]);
  expect(await made()).toEqual(["projects", "skills"]);
});

test("P2 doctor says how many skills and projects there are, and what is wrong with a broken one", async () => {
  await using home = await openHome({ replies: [], models: ["test-model"] });
  const none = await home.poppet("doctor");
  expect([none.code, none.stdout]).toEqual([
    0,
    expect.stringContaining("ok     skills: none\nok     projects: none\n"),
  ]);
  await put(home, "skills/weekly-review/SKILL.md", skill("weekly-review"));
  await put(home, "projects/acorn/project.toml", "name = 1\n");
  const { code, stdout } = await home.poppet("doctor");
  expect(code).toBe(1);
  expect(stdout).toContain("ok     skills: 1: weekly-review\n");
  expect(stdout).toMatch(/^wrong {2}projects: 1 of 1 broken: .*\/projects\/acorn\/project.toml:1: name must be /m);
});

test("S0 chat new without the flags loads nothing of skills and projects", async () => {
  await using home = await openHome([say("One."), say("Two.")]);
  await put(home, "skills/weekly-review/SKILL.md", skill("weekly-review"));
  const watch = await put(
    home,
    "watch.ts",
    `Bun.plugin({ name: "watch", setup(build) {
      build.onLoad({ filter: /poppet\\/src\\/.*\\.ts$/ }, async ({ path }) => {
        await Bun.write(Bun.stderr, "loads " + path + "\\n");
        return { contents: await Bun.file(path).text(), loader: "ts" };
      });
    } });`,
  );
  const [bun = "", main = ""] = program;
  const loads = async (...given: readonly string[]) => {
    await using child = startChild([bun, "--preload", watch, main, "chat", "new", ...given], { env: home.env });
    const { code, stderr } = await child.ended();
    expect(code).toBe(0);
    const loaded = [...stderr.matchAll(/^loads .*\/src\/(.*)$/gm)].map((found) => found[1] ?? "");
    expect(loaded).toContain("runs/submit.ts");
    return loaded.filter((path) => /^(skills|projects)\/|named-folder|runs\/selection/.test(path));
  };
  expect(await loads("Hi")).toEqual([]);
  expect(await loads("--skill", "weekly-review", "Hi")).toContain("skills/front-matter.ts");
});
