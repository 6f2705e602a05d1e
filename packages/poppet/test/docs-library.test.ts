/** The pages on the library, run against a model server and as tests: what people copy from them compiles and works. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, type Reply, startModelServer } from "./model-server/index.ts";

const root = join(import.meta.dir, "../../..");
const cache = join(root, ".cache");
const text = (said: string): Reply => ({ parts: [{ type: "text", text: said }] });
const answers = ["Hello.", "It scatters.", "Once.", "Spring tides.", '{"city":"Rome","days":3}'];

let folder = "";
let server: ModelServer;
beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  // Inside the repository, where the packages are found.
  folder = mkdtempSync(join(cache, "docs-library-"));
  const limited: Reply = { status: 429, body: { error: { message: "slow down" } }, headers: { "retry-after": "5" } };
  server = await startModelServer({ replies: [...answers.map(text), limited] });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** They are one program, from the first page on. */
const pages = [
  "library",
  ...["commands", "tools", "long-conversations", "snapshots", "testing", "errors"].map((name) => `library/${name}`),
];

async function blocks(...names: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(names.map((name) => Bun.file(join(root, `docs/${name}.md`)).text()));
  return texts.flatMap(blocksOf);
}

function blocksOf(page: string): readonly string[] {
  return [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map((block) => block[1] ?? "");
}

/** Hosts of `.example` are nobody's: they answer here. */
const prelude = `
const realFetch = globalThis.fetch;
const answering = async (input: Parameters<typeof realFetch>[0], init?: RequestInit) =>
  /^https:\\/\\/\\w+\\.example\\//.test(String(input)) ? Response.json({ ok: true }) : realFetch(input, init);
globalThis.fetch = Object.assign(answering, realFetch);
`;

function compile(program: string): string {
  const config = { extends: join(root, "tsconfig.json"), include: [program] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/tsgo/bin/tsc");
  return Bun.spawnSync(["node", compiler, "-p", folder]).stdout.toString();
}

/** A back end and a model for the suite, which the page leaves to its reader. */
const ownServer = `
import { modelFactory, ownModel } from ${JSON.stringify(join(root, "packages/chat/test/own-providers.ts"))};
import { counting as countingModel } from ${JSON.stringify(join(root, "packages/chat/test/counting-model.ts"))};
const startOwnServer = modelFactory(ownModel).open;
const liveModel = countingModel();
`;

test("S0 every block of docs/library/providers.md compiles, and runs as a file of tests", async () => {
  const file = join(folder, "providers.test.ts");
  const page = (await blocks("library/providers")).join("\n").replaceAll("../examples/", `${root}/examples/`);
  writeFileSync(file, ownServer + page);
  expect(compile(file)).toBe("");
  const run = Bun.spawn([process.execPath, "test", file], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const report = await new Response(run.stderr).text();
  expect([await run.exited, report]).toEqual([0, expect.stringMatching(/^ \d\d pass\n 0 fail$/m)]);
}, 60_000);

test("L9 from install to a prompt in twelve lines", async () => {
  const [first = ""] = await blocks("library");
  expect(first).toContain("await repl(");
  expect(first.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(12);
  const readme = await Bun.file(join(root, "packages/chat/README.md")).text();
  expect(blocksOf(readme)).toEqual([first]);
  const { exports } = await Bun.file(join(root, "packages/chat/package.json")).json();
  for (const path of Object.keys(exports)) expect(readme).toContain(`| \`@poppet/chat${path.slice(1)}\` `);
});

test("S0 every block of the pages on the library compiles and runs, one after the other", async () => {
  const program = join(folder, "page.ts");
  const shown = (await blocks(...pages)).map((block) =>
    block.replace(/^(await \w+\(client, more, .*|await answer\(.*\));/gm, "console.log($1);"),
  );
  expect(shown.length).toBeGreaterThanOrEqual(10);
  writeFileSync(program, `${prelude}\n${shown.join("\n")}`);
  expect(compile(program)).toBe("");

  const run = Bun.spawn([process.execPath, program], {
    env: { ...process.env, OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.baseUrl("openai") },
    stdin: new Blob(["Hi\n/help\n"]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  expect([await run.exited, err]).toEqual([0, ""]);
  expect(out.startsWith("> Hello.\n> /help")).toBe(true);
  for (const said of [
    "It scatters.",
    "Took back: Why is the sky blue?",
    "Once.",
    "Deployed main.",
    "Rome 3",
    "I was sent 5 messages. 3",
  ]) {
    expect(out).toContain(said);
  }
  expect(out).toMatch(/Come back at \d+/);
  expect(server.requests.map((request) => request.refusal)).toEqual([...answers.map(() => null), null]);
}, 60_000);
