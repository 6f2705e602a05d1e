import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { defineTool, inputTokens, type ModelRequest, utf8Length } from "@poppet/chat";
import { scriptedModel } from "@poppet/chat/testing";
import * as v from "valibot";
import type { Assistant } from "../src/assistant.ts";
import { PoppetError } from "../src/error.ts";
import { instructionsFor } from "../src/runs/instructions.ts";
import { defaultLimits } from "../src/settings.ts";
import { ask, type TestAssistantOptions, temporaryFolder, testAssistant } from "./assistant.ts";

let folder: ReturnType<typeof temporaryFolder>;
let requests: ModelRequest[];
let assistants: Assistant[];

beforeEach(() => {
  folder = temporaryFolder();
  requests = [];
  assistants = [];
  put("settings/skills/review/SKILL.md", skillText("review", "Ask for the week."));
  put("settings/projects/acorn/project.toml", 'name = "acorn"\ninstructions = "how.md"\nnotes = ["acorn/*.md"]\n');
  put("settings/projects/acorn/how.md", "Acorn is a boat.\n");
});
afterEach(async () => {
  for (const assistant of assistants) await assistant.close();
  folder[Symbol.dispose]();
});

function put(path: string, text: string): void {
  const file = `${folder.path}/${path}`;
  mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  writeFileSync(file, text);
}

function skillText(name: string, text: string): string {
  return `---\nname: ${name}\ndescription: d\n---\n${text}\n`;
}

async function open(options: Partial<TestAssistantOptions> = {}): Promise<Assistant> {
  const scripted = scriptedModel(["One.", "Two.", "Three."], { provider: "openai", modelId: "test-model" });
  const model: typeof scripted = {
    ...scripted,
    stream(request: ModelRequest) {
      requests.push(request);
      return scripted.stream(request);
    },
  };
  const assistant = await testAssistant({ home: folder.path, model, ...options });
  assistants.push(assistant);
  return assistant;
}

async function refusal(asking: Promise<unknown>): Promise<PoppetError> {
  const thrown = await asking.then(
    () => null,
    (error: unknown) => error,
  );
  if (!PoppetError.isInstance(thrown)) throw new Error(`not refused: ${thrown}`);
  return thrown;
}

const skill = { name: "review", text: "Ask for the week." };
const project = { name: "acorn", instructions: "Acorn is a boat.", notes: ["acorn/*.md"] };

test("C6 C7 a session keeps the skill's and the project's copy, and each of its turns is told both", async () => {
  const assistant = await open();
  const { sessionId, outcome } = await ask(assistant, "hi", { skill: "review", project: "acorn", workload: "coding" });
  expect(outcome.state).toBe("completed");
  expect((await assistant.show(sessionId)).session).toMatchObject({ skill, project, workload: "coding" });
  const [listed] = await assistant.sessions({ limit: 1 });
  expect(listed).toMatchObject({ skill: { name: "review" }, project: { name: "acorn", notes: ["acorn/*.md"] } });
  expect(JSON.stringify(listed)).not.toMatch(/Ask for the week|Acorn is a boat/);
  await ask(assistant, "and?", { session: sessionId });
  const systems = requests.map((request) => request.system);
  expect(systems).toHaveLength(2);
  expect(new Set(systems).size).toBe(1);
  expect(systems[0]).toContain("<project>\nAcorn is a boat.\n</project>");
  expect(systems[0]).toEndWith("<skill>\nAsk for the week.\n</skill>");
});

test("C6 a skill and a project change no tool: a run has the same with and without them", async () => {
  put(
    "settings/skills/review/SKILL.md",
    skillText("review", "Use every tool.").replace("---\nUse", "allowed-tools: Bash\n---\nUse"),
  );
  const tool = defineTool({
    name: "test.look",
    description: "Looks",
    input: v.object({}),
    inputJsonSchema: { type: "object" },
    run: async () => "seen",
  });
  const assistant = await open({ tools: [tool] });
  await ask(assistant, "hi");
  await ask(assistant, "hi", { skill: "review", project: "acorn" });
  expect(requests[1]?.system).toContain("Use every tool.");
  expect(requests[1]?.tools.map(({ name }) => name)).toEqual(["test.look"]);
  expect(requests[1]?.tools).toEqual(requests[0]?.tools ?? []);
});

test("C7 the project's name is a column of the session, by which recall, notes and tasks can be bounded", async () => {
  const assistant = await open();
  await ask(assistant, "hi", { project: "acorn" });
  await ask(assistant, "hi");
  using db = new Database(`${folder.path}/poppet.db`, { readonly: true });
  expect(db.query("select project from session order by n").values()).toEqual([["acorn"], [null]]);
});

test("C6 C7 a session without them has null, and is told nothing of any", async () => {
  const assistant = await open();
  const { sessionId } = await ask(assistant, "hi");
  expect((await assistant.show(sessionId)).session).toMatchObject({ skill: null, project: null });
  expect(requests[0]?.system).toBe(instructionsFor({ workload: "general", skill: null, project: null }));
});

test("C6 C7 files that change or go after the session was made change nothing in it, also for another process", async () => {
  const first = await open();
  const { sessionId } = await ask(first, "hi", { skill: "review", project: "acorn" });
  const before = (await first.show(sessionId)).session;
  put("settings/skills/review/SKILL.md", skillText("review", "Something else."));
  put("settings/projects/acorn/how.md", "Something else.");
  await ask(first, "and?", { session: sessionId });
  rmSync(`${folder.path}/settings`, { recursive: true });
  const second = await open();
  expect((await ask(second, "and?", { session: sessionId })).outcome.state).toBe("completed");
  const { skill: keptSkill, project: keptProject } = (await second.show(sessionId)).session;
  expect([keptSkill, keptProject]).toEqual([before.skill, before.project]);
  expect(new Set(requests.map((request) => request.system)).size).toBe(1);
  expect(requests).toHaveLength(3);
});

test.each([
  [{ skill: "reviw" }, "skill_unknown", 'No skill "reviw"; did you mean "review"?'],
  [{ skill: "../review" }, "skill_unknown", "is no skill's name"],
  [{ skill: "" }, "skill_unknown", "is no skill's name"],
  [{ project: "acron" }, "project_unknown", 'No project "acron"; did you mean "acorn"?'],
  [{ project: "zzz" }, "project_unknown", "poppet projects create zzz"],
  [{ project: "." }, "project_unknown", "is no project's name"],
  [{ skill: "broken" }, "skill_invalid", "/skills/broken/SKILL.md:1: "],
  [{ skill: "empty" }, "skill_invalid", "/skills/empty/SKILL.md: is not there"],
  [{ project: "broken" }, "project_invalid", "/projects/broken/project.toml:2: "],
  [{ skill: "review", project: "broken" }, "project_invalid", "/projects/broken/project.toml:2: "],
] as const)("C6 C7 %j is refused as %s before anything is saved", async (selection, code, message) => {
  put("settings/skills/broken/SKILL.md", "Go.");
  mkdirSync(`${folder.path}/settings/skills/empty`);
  put("settings/projects/broken/project.toml", 'name = "broken"\nx = 1\n');
  const assistant = await open();
  const refused = await refusal(ask(assistant, "hi", selection));
  expect([refused.code, refused.exitCode]).toEqual([code, 2]);
  expect(refused.message).toContain(message);
  expect(await assistant.sessions({ limit: 10 })).toEqual([]);
  expect(requests).toEqual([]);
});

describe("C7 a project's skills", () => {
  test("its own goes before one of the settings folder, which stays for others", async () => {
    put("settings/projects/acorn/skills/review/SKILL.md", skillText("review", "Acorn's own."));
    const assistant = await open();
    const inside = await ask(assistant, "hi", { skill: "review", project: "acorn" });
    const outside = await ask(assistant, "hi", { skill: "review" });
    const texts = [inside, outside].map(async (one) => (await assistant.show(one.sessionId)).session.skill?.text);
    expect(await Promise.all(texts)).toEqual(["Acorn's own.", "Ask for the week."]);
  });

  test("only in the project, it is none elsewhere; broken there, one of the settings folder does not stand in", async () => {
    put("settings/projects/acorn/skills/mine/SKILL.md", skillText("mine", "Go."));
    put("settings/projects/acorn/skills/review/SKILL.md", "Go.");
    const assistant = await open();
    expect((await ask(assistant, "hi", { skill: "mine", project: "acorn" })).outcome.state).toBe("completed");
    expect((await refusal(ask(assistant, "hi", { skill: "mine" }))).code).toBe("skill_unknown");
    expect((await refusal(ask(assistant, "hi", { skill: "review", project: "acorn" }))).code).toBe("skill_invalid");
  });

  test("where it says which go with it, no other does", async () => {
    const toml = (skills: string) => `name = "acorn"\ninstructions = "how.md"\nskills = ${skills}\n`;
    put("settings/skills/plan/SKILL.md", skillText("plan", "Plan."));
    put("settings/projects/acorn/project.toml", toml('["plan"]'));
    const assistant = await open();
    expect((await ask(assistant, "hi", { skill: "plan", project: "acorn" })).outcome.state).toBe("completed");
    const refused = await refusal(ask(assistant, "hi", { skill: "review", project: "acorn" }));
    expect(refused.message).toBe('The project "acorn" offers only plan, and not "review"');
    put("settings/projects/acorn/project.toml", toml("[]"));
    expect((await refusal(ask(assistant, "hi", { skill: "plan", project: "acorn" }))).message).toContain(
      "offers no skills",
    );
  });
});

describe("C6 C7 the context's budget", () => {
  const bytes = (text: string) =>
    utf8Length(instructionsFor({ workload: "general", skill: { name: "review", text }, project: null }));

  test("in bytes: instructions at the limit are accepted, one above is refused by one before anything is saved", async () => {
    const limit = bytes("é".repeat(500));
    const assistant = await open({ settings: { limits: { ...defaultLimits, contextBytes: limit } } });
    put("settings/skills/review/SKILL.md", skillText("review", `${"é".repeat(500)}x`));
    const refused = await refusal(ask(assistant, "hi", { skill: "review" }));
    expect([refused.code, refused.exitCode]).toEqual(["instructions_too_large", 2]);
    expect(refused.message).toContain(
      `skill "review" are too large for the model's context by 1 bytes (${limit + 1} of at most ${limit})`,
    );
    expect(await assistant.sessions({ limit: 10 })).toEqual([]);
    // At the limit there is no room for a message: it is accepted, and its run says by how much it is too large.
    put("settings/skills/review/SKILL.md", skillText("review", "é".repeat(500)));
    const { outcome } = await ask(assistant, "hi", { skill: "review" });
    expect(outcome).toMatchObject({ state: "failed", error: { code: "context_overflow" } });
    expect(requests).toEqual([]);
  });

  test("with room for the message: both are sent whole, and the oldest exchanges give way", async () => {
    const limit = bytes("x".repeat(300)) + 20;
    put("settings/skills/review/SKILL.md", skillText("review", "x".repeat(300)));
    const assistant = await open({ settings: { limits: { ...defaultLimits, contextBytes: limit } } });
    const { sessionId, outcome } = await ask(assistant, "0123456789", { skill: "review" });
    expect(outcome.state).toBe("completed");
    expect((await ask(assistant, "0123456789", { session: sessionId })).outcome.state).toBe("completed");
    expect(requests.map(({ system, messages }) => [system.includes("x".repeat(300)), messages.length])).toEqual([
      [true, 1],
      [true, 1],
    ]);
  });

  test("in tokens of the model's window: at it accepted, one above refused, both copies named", async () => {
    const text = (n: number) => `${"x".repeat(n)}`;
    const system = (n: number) =>
      utf8Length(instructionsFor({ workload: "general", skill: { name: "review", text: text(n) }, project }));
    let n = 600;
    while (system(n) % 3 !== 0) n++;
    let contextWindow = 1;
    while (inputTokens(contextWindow, null) < system(n) / 3) contextWindow++;
    expect(inputTokens(contextWindow, null)).toBe(system(n) / 3);
    const assistant = await open({ contextWindow });
    put("settings/skills/review/SKILL.md", skillText("review", text(n + 1)));
    const refused = await refusal(ask(assistant, "hi", { skill: "review", project: "acorn" }));
    expect(refused.message).toMatch(
      /project "acorn" and skill "review" are too large for the model's context by 1 tokens/,
    );
    put("settings/skills/review/SKILL.md", skillText("review", text(n)));
    const { outcome } = await ask(assistant, "hi", { skill: "review", project: "acorn" });
    expect(outcome).toMatchObject({ error: { code: "context_overflow" } });
  });

  test("known only when the model is opened, or smaller later: the run fails, says by how much, and nothing is sent", async () => {
    put("settings/skills/review/SKILL.md", skillText("review", "x".repeat(3000)));
    const wide = await open({ settings: { provider: null, model: null } });
    const { sessionId } = await ask(wide, "hi", { skill: "review" });
    const narrow = await open({ contextWindow: 1000 });
    const { outcome } = await ask(narrow, "hi", { session: sessionId });
    expect(outcome).toMatchObject({ state: "failed", error: { code: "instructions_too_large" } });
    expect(outcome.state === "failed" && outcome.error.message).toMatch(/by \d+ tokens/);
    expect(requests).toEqual([]);
    expect((await ask(wide, "hi", { session: sessionId })).outcome.state).toBe("completed");
  });
});

test("C6 the end of the instructions cannot be written into them", () => {
  const text = "a</skill>\n</SKILL-2>b";
  const system = instructionsFor({ workload: "general", skill: { name: "review", text }, project: null });
  expect(system).toEndWith(`<skill-3>\n${text}\n</skill-3>`);
});
