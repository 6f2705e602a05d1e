import { afterAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { emptyHome, ended, program, scriptedProgram } from "./start.ts";

const home = await emptyHome();
afterAll(() => home[Symbol.asyncDispose]());
const poppet = (...given: readonly string[]) => ended(program(...given), home);

test.each([
  [["cat"], 'unknown command "cat"; did you mean "chat"?'],
  [["frobnicate"], 'unknown command "frobnicate"; see poppet --help'],
  [["chat", "sesions"], 'unknown command "sesions"; did you mean "sessions"?'],
  [["chat", "sessions", "-limt", "3"], 'unknown flag --limt; did you mean "--limit"?'],
  [["chat", "sessions", "--limit", "0"], '--limit "0": must be a whole number from 1 to 10000'],
  [["chat", "new", "two", "words"], 'unexpected "words": put a text of several words in quotes'],
  [["--versoin"], 'unknown flag --versoin; did you mean "--version"?'],
  [["--hlep"], 'unknown flag --hlep; did you mean "--help"?'],
  [["-hlep"], 'unknown flag --hlep; did you mean "--help"?'],
  [["chat", "--hlep"], 'unknown flag --hlep; did you mean "--help"?'],
  [["chat", "sessions", "--hlep"], 'unknown flag --hlep; did you mean "--help"?'],
  [["--json", "chat", "sessions"], "unknown flag --json; a command's flags go after it; see poppet --help"],
  [["--keys=sk-1"], "unknown flag --keys; a command's flags go after it; see poppet --help"],
  [["doctor", "-x"], "unknown flag -x; see poppet doctor --help"],
  [["hepl"], 'unknown command "hepl"; did you mean "help"?'],
  [["seach"], 'unknown command "seach"; see poppet --help\n'],
  [["foo"], 'unknown command "foo"; see poppet --help\n'],
  [["rename"], 'unknown command "rename"; there is "chat rename"; see poppet --help\n'],
  [["show"], "missing ID; see poppet show --help"],
  [["sessions", "--before"], "--before needs a value; see poppet sessions --help\n"],
  [["chat", "continue", "two", "words"], 'unexpected "words": put a text of several words in quotes'],
  [["chat", "list"], 'unknown command "list"; there is "models list"; see poppet chat --help\n'],
  [["chat", "seach", "x"], 'unknown command "seach"; did you mean "search"?'],
  [["chat", "sessions", "extra"], 'unexpected "extra": poppet chat sessions takes no argument\n'],
  [["doctor", "x"], 'unexpected "x": poppet doctor takes no argument\n'],
  [["chat", "show", "id", "x"], 'unexpected "x": poppet chat show takes no more arguments\n'],
  [["chat", "sessions", "--limit"], "--limit needs a value; see poppet chat sessions --help\n"],
  [["chat", "sessions", "--limit="], "--limit needs a value; see poppet chat sessions --help\n"],
  [["chat", "sessions", "--limit", "--json"], "--limit needs a value; see poppet chat sessions --help\n"],
  [["setup"], "missing --provider; see poppet setup --help\n"],
  [["chat", "new", ""], "The message is empty. Give one in quotes, or pipe it in.\n"],
  [["chat", "search", ""], "The search text is empty; give the words to find.\n"],
  [["chat", "new", "-hello"], "unknown flag --hello; a text that begins with a dash goes after --"],
  [["chat", "show"], "missing ID; see poppet chat show --help"],
  [["setup", "--provider", "opnai", "--model", "x"], 'did you mean "openai"?'],
  [["setup", "--provider", "openai"], "missing --model"],
  [["setup", "--provider", "local", "--model", "x", "--base-url", "http://x"], "local takes no --base-url."],
  [["setup", "--provider", "openai", "--model", "x", "--base-url", "ftp://x"], "--base-url must be an http"],
  [["setup", "--provider", "openai-compatible", "--model", "x"], "openai-compatible needs --base-url"],
  [["models", "gemni"], 'unknown provider "gemni"; did you mean "gemini"?'],
  [["completion", "bsh"], 'did you mean "bash"?'],
])("S0 %j: one line with the nearest right spelling, exit 2", async (given, expected) => {
  const { code, stdout, stderr } = await poppet(...given);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toStartWith("poppet: ");
  expect(stderr).toContain(expected);
  expect(stderr.match(/\n/g)).toHaveLength(1);
});

test.each([
  ["chat", "new"],
  ["chat", "sessions"],
  ["models"],
  ["setup"],
  ["doctor"],
  ["config", "show"],
  ["completion"],
  [],
])("S0 poppet %s %s --help prints usage on stdout", async (...given) => {
  const { code, stdout, stderr } = await poppet(...given.filter((word) => typeof word === "string"), "--help");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("USAGE");
});

test("S0 poppet help COMMAND is COMMAND --help", async () => {
  expect(await poppet("help", "chat")).toEqual(await poppet("chat", "--help"));
  expect((await poppet("help")).stdout).toBe((await poppet("--help")).stdout);
});

test("S0 --version prints the version", async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dir, "../../package.json"), "utf8"));
  for (const flag of ["--version", "-version", "-v"]) {
    expect(await poppet(flag)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  }
});

test("S0 an error in the settings stops every command that needs them, and names the file", async () => {
  await using other = await emptyHome();
  const env = { ...other.env, POPPET_CONFIG: join(other.path, "c.toml") };
  await Bun.write(env.POPPET_CONFIG, "[chat]\nlogReasonin = true\n");
  for (const given of [["config", "show"], ["chat", "sessions"], ["chat", "new", "hi"], ["doctor"]]) {
    const { code, stdout, stderr } = await ended(program(...given), { env });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`${env.POPPET_CONFIG}:2: chat.logReasonin is no setting`);
  }
  expect((await ended(program("config", "path"), { env })).stdout).toBe(`${env.POPPET_CONFIG}\n`);
});

test("P2 setup writes the choice; a key comes from stdin, never shows, and stays", async () => {
  await using other = await emptyHome();
  const setup = (given: readonly string[], stdin?: string) =>
    ended(program("setup", ...given), { env: other.env, ...(stdin === undefined ? {} : { stdin }) });
  const first = await setup(["--provider", "openai", "--model", "gpt"], "sk-one\n");
  expect([first.code, first.stdout]).toEqual([0, ""]);
  expect(first.stderr).not.toContain("sk-one");
  const file = join(other.path, ".config/poppet/config.toml");
  expect(await readFile(file, "utf8")).toContain('apiKey = "sk-one"');
  await setup(["-provider", "openai", "-model", "gpt-2"], "sk-two");
  expect(await readFile(file, "utf8")).toContain('apiKey = "sk-one"');
  await setup(["--provider", "openai", "--model", "gpt-2", "--key-stdin"], "sk-two");
  expect(await readFile(file, "utf8")).toContain('apiKey = "sk-two"');
  const shown = await ended(program("config", "show", "--json"), other);
  expect(JSON.parse(shown.stdout).settings.providers.openai).toEqual({ apiKey: "********" });
});

test("P2 setup without a key says how to give one", async () => {
  await using other = await emptyHome();
  const { code, stderr } = await ended(program("setup", "--provider", "anthropic", "--model", "m"), other);
  expect(code).toBe(0);
  expect(stderr).toContain("no API key yet: set ANTHROPIC_API_KEY, or pipe it into this command");
  const withKey = { ...other.env, ANTHROPIC_API_KEY: "k" };
  const again = await ended(program("setup", "--provider", "anthropic", "--model", "m"), { env: withKey });
  expect(again.stderr).not.toContain("no API key");
});

test("P2 doctor says what is wrong and what to do, exit 1", async () => {
  const wrong = await ended(scriptedProgram("doctor"), home);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain("wrong  model: no provider is chosen; run: poppet setup");
  const env = { ...home.env, POPPET_PROVIDER: "local", POPPET_MODEL: "m" };
  const right = await ended(scriptedProgram("doctor"), { env });
  expect([right.code, right.stdout.includes("wrong")]).toEqual([0, false]);
});

test.each([
  [["ch"], "chat\t"],
  [["chat", "s"], "sessions\t"],
  [["chat", "sessions", "--l"], "--limit\t"],
  [["chat", "show", ""], "id-1\t"],
  [["chat", "send", "id"], "id-1\t"],
  [["show", "id"], "id-1\t"],
  [["sessions", "--before", "id"], "id-1\t"],
  [["chat", "rename", ""], "id-1\t"],
  [["setup", "--provider", "o"], "openai\t"],
  [["models", "g"], "gemini\t"],
  [["chat", "new", "--skill", "w"], "weekly-review\t"],
  [["chat", "new", "--project", ""], "acorn\t"],
  [["models", "pull", ""], "smollm2-135m\t"],
  [["completion", "f"], "fish\t"],
])("P2 completing %j proposes %j", async (words, expected) => {
  await using other = await emptyHome({ sessions: [{ id: "id-1" }] as never });
  const { code, stdout, stderr } = await ended(scriptedProgram("__complete", "--", ...words), other);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n").some((line) => line.startsWith(expected))).toBe(true);
});

test("P2 models pull without a terminal prints plain lines", async () => {
  const { code, stdout, stderr } = await ended(scriptedProgram("models", "pull", "x"), home);
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(" 50% 5.0 MB of 10 MB\n");
  expect(stderr).toContain("not from a: no network\n");
  expect(stderr).toContain("fetched from b: x (10 MB) in /models/x.gguf\n");
  expect(stderr).not.toContain("\x1b");
});

test("S0 bench says how it is used, and does not start on what it does not know", async () => {
  const bench = (flag: string) =>
    ended([process.execPath, join(import.meta.dir, "../../../../bench/main.ts"), flag], home);
  expect(await bench("--help")).toMatchObject({ code: 0, stdout: "usage: bun run bench [--rounds N] [--million]\n" });
  const wrong = await bench("--foo");
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toMatch(/^bench: Unknown option '--foo'[^\n]*\nusage: [^\n]+\n$/);
});
