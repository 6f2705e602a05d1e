/**
 * Text that would steer a terminal, on its way through the whole program: saved and shown as it is, exact on a pipe,
 * cleaned on a terminal.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SearchResult, ShownSession } from "../../src/assistant.ts";
import { type Reply, startModelServer } from "../model-server/index.ts";
import { openPty } from "../pty.ts";
import { emptyHome, ended, program } from "./start.ts";

const steering = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
/** Colour, window title, clipboard, 8-bit sequences, clear screen, bidi override and isolate, backspace, bell. */
const hostile =
  "a\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b]52;c;ZXZpbA==\x1b\\ \x9b2J\x9d8;;http://evil\x9c \u202eevil\u2066 \b\x07 é漢😀 👩‍🚀 e\u0301";
const asked = `${hostile} needle`;
const answer = `${hostile} answered\0`;

const server = await startModelServer({
  replies: [
    { parts: [{ type: "text", text: [answer] }] },
    { status: 400, body: { error: { message: `no ${hostile}` } } },
  ] satisfies Reply[],
  afterLast: "repeat",
});
const home = await emptyHome();
const env = { ...home.env, NO_COLOR: "1", TERM: "dumb" };
afterAll(async () => {
  await server.close();
  await home[Symbol.asyncDispose]();
});
await mkdir(join(home.path, ".config/poppet"), { recursive: true });
await writeFile(
  join(home.path, ".config/poppet/config.toml"),
  `provider = "openai-compatible"\nmodel = "m"\n[chat]\nnameSessions = false\n[providers.openai-compatible]\nbaseUrl = "${server.baseUrl("openai-compatible")}"\n`,
);

const onPipe = (...given: readonly string[]) => ended(program(...given), { env });

async function onTerminal(given: readonly string[], more: { readonly [name: string]: string } = {}): Promise<string> {
  await using pty = openPty(program(...given), { env: { ...env, ...more }, columns: 200 });
  await pty.exited();
  return pty.raw().replaceAll("\r\n", "\n");
}

async function newSession(): Promise<string> {
  const { stderr } = await onPipe("chat", "new", asked);
  return /^session (\S+)$/m.exec(stderr)?.[1] ?? "";
}

test("§7 C1 the answer is exact on a pipe and cleaned on a terminal; what is saved is exact", async () => {
  const piped = await onPipe("chat", "new", asked);
  expect([piped.code, piped.stdout]).toEqual([0, `${answer}\n`]);
  expect(piped.stderr).toMatch(/^session \S+\nrun \S+\n$/);
  const id = /^session (\S+)$/m.exec(piped.stderr)?.[1] ?? "";
  // The second reply is a failure whose words are a stranger's too.
  const failed = await onPipe("chat", "send", id, "again");
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr.replaceAll("\n", "")).not.toMatch(steering);
  expect(failed.stderr).toContain("é漢😀 👩‍🚀 e\u0301");
  const raw = await onTerminal(["chat", "new", asked]);
  expect(raw).not.toMatch(steering);
  expect(raw).toMatch(/\nared +evil +é漢😀 👩‍🚀 e\u0301 answered\n/);
  const failing = await onTerminal(["chat", "send", id, "again"]);
  expect(failing).not.toMatch(steering);
  expect(failing).toContain("poppet: ");

  const shown = JSON.parse((await onPipe("chat", "show", id)).stdout) as ShownSession;
  expect(shown.messages.map((message) => message.text)).toEqual([asked, answer, "again", "again"]);
  expect(shown.runs[1]?.error?.message).not.toMatch(steering);
  expect(shown.session.title).not.toMatch(steering);
  const onScreen = await onTerminal(["chat", "show", id]);
  expect(onScreen).not.toMatch(steering);
  expect(JSON.parse(onScreen)).toEqual(shown);
});

test("§7 lists, searches and renames: JSON keeps its value, a table its line", async () => {
  const id = await newSession();
  const renamed = await onPipe("chat", "rename", id, `T ${hostile}\nsecond line`);
  expect(renamed.code).toBe(0);
  expect(renamed.stderr).not.toMatch(steering);
  expect(renamed.stderr.match(/\n/g)).toHaveLength(1);
  for (const given of [
    ["chat", "sessions", "--json"],
    ["chat", "search", "needle", "--json"],
  ]) {
    const piped = (await onPipe(...given)).stdout;
    const raw = await onTerminal(given);
    expect(raw).not.toMatch(steering);
    expect(JSON.parse(raw)).toEqual(JSON.parse(piped));
  }
  const table = await onTerminal(["chat", "sessions"]);
  expect(table).not.toMatch(steering);
  expect(table).toContain(id.slice(0, 8));
  const found = await onTerminal(["chat", "search", "needle"]);
  expect(found).not.toMatch(steering);
  expect(found).toContain("é漢😀 👩‍🚀 e\u0301".normalize("NFC"));
  const transcript = await onTerminal(["show", id]);
  expect(transcript).not.toMatch(steering);
  expect(transcript).toContain("é漢😀 👩‍🚀 e\u0301 answered\n");
  expect((await onPipe("show", id)).stdout).not.toMatch(steering);
  const { matches } = JSON.parse((await onPipe("chat", "search", "needle")).stdout) as SearchResult;
  expect(matches.length).toBeGreaterThan(0);
  for (const bytes of ["1024", "1025", "1100"]) {
    const { stdout } = await ended(program("chat", "search", "needle"), { env: { ...env, POPPET_TOOL_BYTES: bytes } });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(Number(bytes));
    const { matches } = JSON.parse(stdout) as SearchResult;
    expect(matches.length).toBeGreaterThan(0);
    for (const { excerpt, title } of matches) expect(`${excerpt}${title}`).not.toMatch(/\ufffd|\p{Cs}/u);
  }
  // What is searched for may be hostile too; it is text.
  const odd = await onPipe("chat", "search", `${hostile.replace("\x07 é", "é")} needle`);
  expect([odd.code, (JSON.parse(odd.stdout) as SearchResult).matches.length]).toEqual([0, matches.length]);
});

test("§7 an ID from the command line: one clean line, whole characters where it is cut, exit 1", async () => {
  for (const last of ["x", "😀", "👩‍🚀", "e\u0301"]) {
    for (const length of [78, 79, 80]) {
      const id = `${"y".repeat(length)}${last}${last}`;
      const { code, stderr } = await onPipe("chat", "show", id);
      const cut = [...id].slice(0, 80).join("");
      expect([code, stderr]).toEqual([1, `poppet: No session "${cut}"; \`poppet chat sessions\` lists them.\n`]);
    }
    if (last === "😀") break;
  }
  for (const given of [
    ["chat", "show", hostile],
    ["chat", "send", hostile, "hi"],
    ["chat", "rename", `${hostile}\nx`, "title"],
    ["chat", hostile],
    ["chat", "show", "--", hostile],
    [`--${hostile}`],
    ["models", hostile],
    ["models", "pull", `hf:${hostile}`],
    ["chat", "sessions", "--limit", hostile],
    ["setup", "--provider", "openai", "--model", `x${hostile}`],
    ["setup", "--provider", hostile, "--model", "x"],
    ["setup", "--provider", "openai", "--model", "x", "--base-url", `http://x/${hostile}`],
  ]) {
    const { code, stdout, stderr } = await onPipe(...given);
    expect([given, code > 0, stdout]).toEqual([given, true, ""]);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(stderr).toStartWith("poppet: ");
    expect(stderr.trimEnd()).not.toMatch(steering);
  }
});

test("§7 names of files and folders: exact on a pipe, one clean line in errors and on a terminal", async () => {
  const folder = join(home.path, "f\x1b[31m\n\u202eé😀");
  const config = join(folder, "c\x9b2J.toml");
  await mkdir(folder);
  await writeFile(config, "[chat]\nlogReasoning = 1\n");
  const bad = await ended(program("chat", "sessions"), { env: { ...env, POPPET_CONFIG: config } });
  expect(bad.code).toBe(1);
  expect(bad.stderr).toMatch(/^poppet: [^\n]*é😀\/c\.toml:2: chat\.logReasoning must be true or false\n$/);
  expect(bad.stderr.trimEnd()).not.toMatch(steering);

  await writeFile(config, "[limits]\nsteps = 3\n");
  const odd = { POPPET_CONFIG: config, POPPET_HOME: join(folder, "data") };
  const path = await ended(program("config", "path"), { env: { ...env, ...odd } });
  expect(path.stdout).toBe(`${config}\n`);
  for (const given of [["config", "path"], ["config", "show"], ["config", "show", "--json"], ["doctor"]]) {
    const raw = await onTerminal(given, odd);
    expect(raw).not.toMatch(steering);
    expect(raw).toContain("é😀");
  }
  const toml = await ended(program("config", "show"), { env: { ...env, ...odd } });
  expect(Bun.TOML.parse(toml.stdout)).toMatchObject({ limits: { steps: 3 } });
  const json = await ended(program("config", "show", "--json"), { env: { ...env, ...odd } });
  expect(JSON.parse(json.stdout)).toMatchObject({ file: config, home: odd.POPPET_HOME });

  expect((await ended(program("chat", "sessions"), { env: { ...env, ...odd } })).stdout).toBe('{"sessions":[]}\n');
  await writeFile(join(folder, "file"), "");
  const blocked = await ended(program("chat", "sessions"), {
    env: { ...env, ...odd, POPPET_HOME: join(folder, "file/data") },
  });
  expect(blocked.code).toBe(1);
  expect(blocked.stderr).toMatch(/^poppet: [^\n]*cannot be used[^\n]*\n$/);
  expect(blocked.stderr.trimEnd()).not.toMatch(steering);
});
