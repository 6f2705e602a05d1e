import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ggufLike } from "../model-hub.ts";
import { apiKey } from "../model-server/index.ts";
import { answeredSession, type Home, openHome, program, say } from "./home.ts";

const wrongIds = [
  ["show", (id: string) => ["chat", "show", `${id.slice(0, -1)}z`]],
  ["send", (id: string) => ["chat", "send", `${id.slice(0, 20)}z${id.slice(21)}`, "hi"]],
  ["rename", (id: string) => ["chat", "rename", `x${id.slice(1)}`, "t"]],
] as const;

test.each(wrongIds)(
  "C2 chat %s with an ID that is nearly right: one line with the right one, exit 1",
  async (_, given) => {
    await using home = await openHome();
    const id = await answeredSession(home);
    const { code, stdout, stderr } = await home.poppet(...given(id));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^poppet: No session [^\n]+\n$/);
    expect(stderr).toContain(`did you mean ${id}?`);
  },
);

test("C2 an unknown ID points to chat sessions", async () => {
  await using home = await openHome();
  const { code, stderr } = await home.poppet("chat", "send", "nope", "hi");
  expect([code, stderr]).toEqual([1, 'poppet: No session "nope"; `poppet chat sessions` lists them.\n']);
  expect(home.server.requests).toHaveLength(0);
});

const badSettings: readonly (readonly [string, readonly string[]])[] = [
  ["[chat]\nlogReasonin = true\n", [":2: chat.logReasonin is no setting", 'did you mean "logReasoning"']],
  ["[limits]\nsteps = 0\n", [":2: limits.steps must be"]],
  ['provider = "opnai"\n', [":1: provider must be"]],
  ["provider = \n", ["not valid TOML"]],
  ['[providers.openai]\napikey = "sk-very-secret"\n', [":2: providers.openai.apikey is no setting", "apiKey"]],
];

test.each(badSettings)(
  "S0 the settings %j stop a command with the file, the line and what is allowed",
  async (text, words) => {
    await using home = await openHome([], { provider: null });
    await Bun.write(home.config, text);
    for (const given of [
      ["chat", "new", "Hi"],
      ["chat", "sessions"],
      ["config", "show"],
    ]) {
      const { code, stdout, stderr } = await home.poppet(...given);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^poppet: [^\n]+\n$/);
      for (const word of [home.config, ...words]) expect(stderr).toContain(word);
      expect(stderr).not.toContain("sk-very-secret");
    }
    const doctor = await home.poppet("doctor");
    expect([doctor.code, doctor.stdout.includes("wrong  settings: ")]).toEqual([1, true]);
  },
);

test.each([
  [{ POPPET_TOOL_BYTES: "1023" }, "POPPET_TOOL_BYTES must be"],
  [{ POPPET_TOOL_BYTES: "many" }, "POPPET_TOOL_BYTES must be"],
  [{ POPPET_PROVIDER: "gemni" }, 'did you mean "gemini"?'],
])("S0 the environment %j is checked as the file is", async (env, words) => {
  await using home = await openHome();
  await using child = home.start(["chat", "search", "x"], { env });
  const { code, stderr } = await child.ended();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^poppet: Environment: [^\n]+\n$/);
  expect(stderr).toContain(words);
});

describe("P2 doctor", () => {
  test("P2 all well: every line ok, exit 0, no key shown", async () => {
    await using home = await openHome({ replies: [say("ok")], models: ["test-model"] });
    await home.poppet("chat", "new", "Hi");
    const { code, stdout, stderr } = await home.poppet("doctor");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").filter((line) => line && !line.startsWith("ok "))).toEqual([]);
    expect(stdout).toContain("1 session");
    expect(stdout).not.toContain(apiKey);
  });

  test("P2 looks only: nothing is made in a home that is new", async () => {
    await using home = await openHome({ replies: [], models: ["test-model"] });
    expect((await home.poppet("doctor")).code).toBe(0);
    expect(await stat(home.data).catch(() => null)).toBeNull();
  });

  test("P2 says of each thing what is wrong and what to do: nothing chosen, wrong model, wrong key, no server, no key", async () => {
    await using bare = await openHome([], { provider: null });
    expect((await bare.poppet("doctor")).stdout).toContain("run: poppet setup");
    await using home = await openHome({ replies: [], models: ["test-modal"], key: apiKey });
    const wrong = async (env: { readonly [name: string]: string } = {}) => {
      await using child = home.start(["doctor"], { env });
      const { code, stdout } = await child.ended();
      expect(code).toBe(1);
      expect(stdout).not.toContain(apiKey);
      return stdout
        .split("\n")
        .filter((line) => line.startsWith("wrong"))
        .join("\n");
    };
    expect(await wrong()).toContain('does not list test-model; did you mean "test-modal"?');
    await Bun.write(home.config, (await Bun.file(home.config).text()).replace(apiKey, "another"));
    expect(await wrong()).toMatch(/key/);
    await home.server.close();
    expect(await wrong()).toMatch(/reach|connect/);
    expect(await wrong({ POPPET_PROVIDER: "openai" })).toContain("OPENAI_API_KEY");
    expect(await wrong({ POPPET_PROVIDER: "local", POPPET_MODEL: "smollm2-135m" })).toContain(
      "poppet models pull smollm2-135m",
    );
  });
});

/** As the same user without root's power over everybody's files. */
const powerless = process.getuid?.() === 0 ? `setpriv --bounding-set=-all --inh-caps=-all "$@"` : `"$@"`;

/** The lines of doctor that say what is wrong. */
async function wrongLines(home: Home, line = powerless): Promise<readonly string[]> {
  await using child = home.shell(line, "doctor");
  const { code, stdout } = await child.ended();
  const wrong = stdout.split("\n").filter((one) => one.startsWith("wrong"));
  expect(code).toBe(wrong.length > 0 ? 1 : 0);
  return wrong;
}

describe("P2 doctor and permissions", () => {
  test("P2 a data folder that cannot be made is wrong", async () => {
    await using home = await openHome({ replies: [], models: ["test-model"] });
    const above = join(home.path, "theirs");
    await mkdir(above, { mode: 0o500 });
    const line = `POPPET_HOME=${above}/a/b ${powerless}`;
    expect(await wrongLines(home, line)).toEqual([
      `wrong  data folder: ${above}/a/b is not there and cannot be made (${above}: permission denied); set POPPET_HOME to a folder of yours`,
    ]);
  });

  test("P2 a data folder that cannot be read is wrong, and its storage is not called empty", async () => {
    await using home = await openHome({ replies: [say("ok")], models: ["test-model"] });
    await home.poppet("chat", "new", "Hi");
    await chmod(home.data, 0);
    const wrong = await wrongLines(home);
    await chmod(home.data, 0o700);
    expect(wrong).toEqual([
      expect.stringMatching(/^wrong {2}data folder: .*permission denied/),
      expect.stringMatching(/^wrong {2}storage: .*cannot be reached \(permission denied\)/),
    ]);
  });

  test("P2 a database that cannot be written is wrong", async () => {
    await using home = await openHome({ replies: [say("ok")], models: ["test-model"] });
    await home.poppet("chat", "new", "Hi");
    const path = join(home.data, "poppet.db");
    await chmod(path, 0o400);
    expect(await wrongLines(home)).toEqual([
      `wrong  storage: ${path} cannot be read and written (permission denied); make it yours and run: chmod 600 '${path}'`,
    ]);
  });

  test("P2 a file beside the database that cannot be written is wrong", async () => {
    await using home = await openHome({ replies: [say("ok")], models: ["test-model"] });
    await home.poppet("chat", "new", "Hi");
    // What a look at a database that may only be read leaves beside it.
    const path = join(home.data, "poppet.db-wal");
    await Bun.write(path, "");
    await chmod(path, 0o400);
    expect(await wrongLines(home)).toEqual([
      `wrong  storage: ${path} cannot be read and written (permission denied); make it yours and run: chmod 600 '${path}'`,
    ]);
  });

  test("P2 a settings file with a key that others may read is wrong; one without a key is not", async () => {
    await using home = await openHome({ replies: [], models: ["test-model"] });
    await chmod(home.config, 0o644);
    expect(await wrongLines(home)).toEqual([
      `wrong  settings: ${home.config} has an API key and can be read by others; run: chmod 600 '${home.config}'`,
    ]);
    const text = await Bun.file(home.config).text();
    await Bun.write(home.config, text.replace(/^apiKey.*$/m, ""));
    expect(await wrongLines(home)).toEqual([]);
  });

  test("P2 a local model that is cut off is wrong, and so is one that nobody knows", async () => {
    await using home = await openHome([], { provider: null, env: { POPPET_PROVIDER: "local", POPPET_MODEL: "half" } });
    expect(await wrongLines(home)).toEqual([expect.stringContaining("`poppet models local` lists")]);
    await mkdir(join(home.data, "models"), { recursive: true, mode: 0o700 });
    await chmod(home.data, 0o700);
    await Bun.write(join(home.data, "models/half.gguf"), ggufLike(2_000, 1).subarray(0, 1_000));
    expect(await wrongLines(home)).toEqual([expect.stringContaining("it is cut off: it has 1000 bytes of 2000")]);
  });
});

test("P2 setup for a local model that is not here saves, and says what to do", async () => {
  await using home = await openHome([], { provider: null });
  const setup = (model: string) => home.poppet("setup", "--provider", "local", "--model", model);
  const known = await setup("qwen3-0.6b");
  expect([known.code, known.stderr]).toEqual([0, expect.stringContaining("with: poppet models pull qwen3-0.6b\n")]);
  const unknown = await setup("nope");
  expect([unknown.code, unknown.stderr]).toEqual([0, expect.stringContaining("but not yet: There is no model file")]);
  expect(unknown.stderr).toContain("`poppet models local` lists what is here");
  expect(await Bun.file(home.config).text()).toContain('model = "nope"');
});

test("P2 setup --key-stdin on a terminal is refused, as the key would be shown", async () => {
  await using home = await openHome([], { provider: null });
  await using pty = home.terminal(["setup", "--provider", "openai", "--model", "m", "--key-stdin"]);
  expect(await pty.exited()).toBe(2);
  expect(await pty.screen()).toContain("pipe the key in");
  expect(await Bun.file(home.config).exists()).toBe(false);
});

describe("P2 models", () => {
  test("P2 lists the local ones and the server's; a table on a terminal, JSON elsewhere", async () => {
    await using home = await openHome({ replies: [], models: ["test-model", "other"] });
    const { code, stdout } = await home.poppet("models");
    expect(code).toBe(0);
    const names = JSON.parse(stdout).models.map((one: { name: string }) => one.name);
    expect(names).toEqual(expect.arrayContaining(["local/smollm2-135m", "openai-compatible/test-model"]));
    await using pty = home.terminal(["models", "local"], { columns: 100 });
    expect(await pty.exited()).toBe(0);
    expect(await pty.screen()).toMatch(/local\s+smollm2-135m\s+to pull 98 MB/);
  });

  test("P2 a server that is not there or refuses the key: one line, exit 1", async () => {
    await using home = await openHome({ replies: [], key: "right" });
    const refused = await home.poppet("models", "openai-compatible");
    expect([refused.code, refused.stdout, /^poppet: [^\n]+\n$/.test(refused.stderr)]).toEqual([1, "", true]);
    expect(refused.stderr).not.toContain(apiKey);
    await home.server.close();
    expect((await home.poppet("models", "openai-compatible")).code).toBe(1);
  });

  test("P2 pull FILE refuses what is no model, in one line that names it", async () => {
    await using home = await openHome();
    const file = join(home.path, "mine.gguf");
    await Bun.write(file, "not a model");
    for (const reference of [file, join(home.path, "none.gguf")]) {
      const { code, stdout, stderr } = await home.poppet("models", "pull", reference);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^poppet: [^\n]+\n$/);
    }
  });
});

test("S0 a key is in no output, wherever it comes from and whatever fails", async () => {
  await using home = await openHome({ replies: [say("ok")], afterLast: "repeat", models: ["test-model"] });
  const outputs: string[] = [];
  for (const given of [
    ["chat", "new", "Hi"],
    ["config", "show"],
    ["config", "show", "--json"],
    ["doctor"],
    ["models"],
  ]) {
    const { stdout, stderr } = await home.poppet(...given);
    outputs.push(stdout, stderr);
  }
  expect(home.server.requests[0]?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
  expect(outputs.join("")).toContain("********");
  expect(outputs.join("")).not.toContain(apiKey);
  const database = Buffer.from(await Bun.file(join(home.data, "poppet.db")).bytes());
  expect(database.includes(apiKey)).toBe(false);
});

test("P2 setup takes a key from stdin and is used at once; the key is never shown", async () => {
  await using home = await openHome({ replies: [say("ok")], key: "sk-piped" }, { provider: null });
  const flags = ["--provider", "openai", "--model", "gpt-5", "--base-url", home.server.baseUrl("openai")];
  await using setup = home.start(["setup", ...flags], { stdin: "sk-piped\n" });
  const { code, stdout, stderr } = await setup.ended();
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).not.toContain("sk-piped");
  expect((await home.poppet("chat", "new", "Hi")).stdout).toBe("ok\n");
});

test("P2 the bash script completes commands, flags and the IDs of saved sessions", async () => {
  await using home = await openHome();
  await Bun.write(
    join(home.path, "bin/poppet"),
    `#!/bin/sh\nexec ${program.map((part) => `'${part}'`).join(" ")} "$@"\n`,
  );
  const ask = async (...words: string[]) => {
    const line = `export PATH="$HOME/bin:$PATH"; chmod +x "$HOME/bin/poppet"; eval "$(poppet completion bash)"
COMP_WORDS=(poppet ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _poppet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    await using child = home.shell(line);
    const { stdout, stderr } = await child.ended();
    expect(stderr).toBe("");
    return stdout.trim().split("\n").sort();
  };
  expect(await ask("chat", "se")).toEqual(["search", "send", "sessions"]);
  expect(await ask("chat", "show", "")).toEqual(["--text"]);
  expect(existsSync(home.data)).toBe(false);
  const id = await answeredSession(home);
  expect(await ask("chat", "show", "")).toEqual(["--text", id]);
  expect(await ask("chat", "sessions", "--l")).toContain("--limit");
  for (const shell of ["zsh", "fish"]) expect((await home.poppet("completion", shell)).stdout).toContain("__complete");
});
