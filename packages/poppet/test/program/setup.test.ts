/** `setup` for people, in a real pseudo-terminal: what is seen, what is written, and that leaving changes nothing. */
import { describe, expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Script } from "../model-server/index.ts";
import { apiKey } from "../model-server/key.ts";
import { openPty, type Pty, type PtyOptions } from "../pty.ts";
import { type Home, openHome, say, sessionOf } from "./home.ts";

const source = join(import.meta.dir, "setup-program.ts");
const enter = "\r";
const down = "\x1b[B";
const ctrlC = "\x03";
const ctrlD = "\x04";
const escapeKey = "\x1b";

const bare = { provider: null } as const;

interface Options extends PtyOptions {
  readonly ports?: readonly number[];
}

function portOf(home: Home): number {
  return Number(new URL(home.server.url).port);
}

function run(home: Home, given: readonly string[], options: Options = {}): Pty {
  const { ports = [], env = {}, ...rest } = options;
  const servers = ports.map((port, i) => ({ name: ["Ollama", "LM Studio"][i] ?? "vLLM", port }));
  return openPty([process.execPath, source, ...given], {
    ...rest,
    env: { ...home.env, SERVERS: JSON.stringify(servers), ...env },
  });
}

/** A home without settings, whose server lists these models. */
function emptyHome(script: Partial<Script> = {}): Promise<Home> {
  return openHome({ replies: [say("Hello you.")], models: ["alpha", "beta"], ...script }, bare);
}

function settings(home: Home): Promise<string> {
  return Bun.file(home.config).text();
}

/** But for what Bun itself keeps there. */
async function filesIn(home: Home): Promise<readonly string[]> {
  return (await readdir(home.path)).filter((name) => name !== ".bun");
}

async function screenOf(pty: Pty): Promise<readonly string[]> {
  return (await pty.screen()).split("\n");
}

describe("P2 setup on a terminal", () => {
  for (const columns of [40, 80]) {
    for (const env of [{}, { NO_COLOR: "1" }, { TERM: "screen" }] as const) {
      test(`chooses a server and a model, tries it and writes: ${columns} columns, ${JSON.stringify(env)}`, async () => {
        await using home = await emptyHome();
        await using pty = run(home, ["setup"], { ports: [portOf(home)], columns, env: { ...env } });
        await pty.until("Enter");
        const first = await screenOf(pty);
        expect(first[0]).toBe("Who should answer?");
        expect(first[1]).toMatch(/^> 1 {2}Ollama on this machine/);
        expect(Math.max(...first.map((line) => line.length))).toBeLessThan(columns);
        pty.type(enter);
        await pty.until("Which model?");
        pty.type(down);
        await pty.until(/> beta/);
        pty.type(enter);
        expect(await pty.exited()).toBe(0);
        const last = (await pty.screen()).replaceAll("\n", "");
        expect((await screenOf(pty))[0]).toStartWith("Who should answer? Ollama on this mach");
        expect(last).toContain("Which model? beta");
        expect(last).toContain("It says: Hello you.");
        expect(last).toMatch(/\d+\.\d s to its first word, \d+\.\d s in all\./);
        expect(last).toContain(`saved ${home.config}: `);
        expect(last).toContain("next: poppet chat new");
        expect(await settings(home)).toBe(
          `# Poppet's settings: see docs/configuration.md\nprovider = "openai-compatible"\nmodel = "beta"\n\n[providers.openai-compatible]\nbaseUrl = "${home.server.url}/v1"\n`,
        );
        expect((await stat(home.config)).mode & 0o777).toBe(0o600);
        if ("NO_COLOR" in env) expect(pty.raw()).not.toMatch(/\x1b\[[\d;]*m/);
        // Neither the screen nor the scrollback is cleared, and the terminal is given back.
        expect(pty.raw()).not.toMatch(/\x1b\[[23]J|\x1b\[\?1049h/);
        expect(pty.raw().lastIndexOf("\x1b[?25h")).toBeGreaterThan(pty.raw().lastIndexOf("\x1b[?25l"));
        expect(pty.raw().lastIndexOf("\x1b[?2004l")).toBeGreaterThan(pty.raw().lastIndexOf("\x1b[?2004h"));
      });
    }
  }

  test("on a dumb terminal asks in plain lines, without one escape sequence", async () => {
    await using home = await emptyHome();
    await using pty = run(home, ["setup"], { ports: [portOf(home)], env: { TERM: "dumb" } });
    await pty.until("Number [1]: ");
    pty.type("9");
    pty.type("\x7f1\r");
    await pty.until("Number, or b for back [1]: ");
    pty.type(`bet${enter}`);
    await pty.until(/ {2}1 {2}beta/);
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).toContain('model = "beta"');
    expect(pty.raw()).not.toContain("\x1b");
    expect((await screenOf(pty)).slice(0, 3)).toEqual([
      "Who should answer?",
      `  1  Ollama on this machine  (${new URL(home.server.url).host}, 2 models)`,
      "  2  A model inside Poppet  (no account, 98 MB to 2.5 GB to fetch)",
    ]);
  });

  test("a long list is filtered by typing; a name of one's own is taken", async () => {
    const models = Array.from({ length: 500 }, (_, i) => `model-${i}`);
    await using home = await emptyHome({ models });
    await using pty = run(home, ["setup"], { ports: [portOf(home)], rows: 12 });
    await pty.until("Enter");
    pty.type(enter);
    await pty.until("1 of 500");
    pty.type("49");
    await pty.until("filter: 49");
    expect((await screenOf(pty)).slice(0, 4)).toEqual([
      "Who should answer? Ollama on this machine",
      "Which model?",
      "  filter: 49",
      "> model-49",
    ]);
    pty.type(" x");
    await pty.until("as typed");
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).toContain('model = "49 x"');
  });

  test("Esc goes back to who answers, and the highlight moves by number", async () => {
    await using home = await emptyHome();
    await using pty = run(home, ["setup"], { ports: [portOf(home)] });
    await pty.until("Enter");
    pty.type(enter);
    await pty.until("Esc: back");
    pty.type(escapeKey);
    await pty.until(/Which model\? .*back/);
    pty.type("2");
    await pty.until(/> 2 {2}A model inside Poppet/);
    pty.type(ctrlC);
    expect(await pty.exited()).toBe(130);
  });

  test("a key is typed hidden, kept 0600 beside what the file had, and seen nowhere", async () => {
    await using home = await emptyHome({ key: apiKey });
    const before = `# mine\n[providers.openai]\nbaseUrl = "${home.server.baseUrl("openai")}" # here\n\n[limits]\nsteps = 3\n`;
    await Bun.write(home.config, before);
    await using pty = run(home, ["setup"]);
    await pty.until("Enter");
    await chooseLabel(pty, "OpenAI");
    await pty.until("API key for OpenAI");
    pty.type(`\x1b[200~${apiKey}\n\x1b[201~`);
    await pty.until("•••");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).toBe(
      `provider = "openai"\nmodel = "gpt-6.1-sol"\n${before.replace("# here\n", `# here\napiKey = "${apiKey}"\n`)}`.replace(
        /^([\s\S]*?)# mine\n/,
        (_all, top: string) => `# mine\n${top}`,
      ),
    );
    expect((await stat(home.config)).mode & 0o777).toBe(0o600);
    expect(pty.raw()).not.toContain(apiKey);
    expect(home.server.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
  });

  test("on a dumb terminal a key is not echoed at all", async () => {
    await using home = await emptyHome();
    await using pty = run(home, ["setup"], { env: { TERM: "dumb" } });
    await pty.until("Number [1]: ");
    pty.type(`Anthropic${enter}`);
    await pty.until("API key for Anthropic");
    pty.type(`${apiKey}${enter}`);
    await pty.until("Which model?");
    pty.type(ctrlC);
    expect(await pty.exited()).toBe(130);
    expect(pty.raw()).not.toContain(apiKey.slice(0, 3));
  });

  test("a key of the environment is used and not copied", async () => {
    await using home = await emptyHome({ key: apiKey });
    await Bun.write(home.config, `[providers.gemini]\nbaseUrl = "${home.server.baseUrl("gemini")}"\n`);
    await using pty = run(home, ["setup"], { env: { GEMINI_API_KEY: apiKey } });
    await pty.until("key in GEMINI_API_KEY");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).not.toContain("apiKey");
    expect(pty.raw()).not.toContain(apiKey);
  });

  test("a server that shows the key, in an answer and an error, does not get it onto the screen", async () => {
    await using home = await emptyHome({
      replies: [{ status: 500, body: { error: { message: `bad ${apiKey}` } } }, say(`Your key is ${apiKey}!`)],
    });
    await Bun.write(home.config, `[providers.openai]\nbaseUrl = "${home.server.baseUrl("openai")}"\n`);
    await using pty = run(home, ["setup"], { env: { OPENAI_API_KEY: apiKey } });
    await pty.until("key in OPENAI_API_KEY");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    await pty.until("What now?");
    pty.type("2");
    await pty.until(/> 2 {2}Try again/);
    pty.type(enter);
    await pty.until("Your key is [key]!");
    expect(await pty.exited()).toBe(0);
    expect(pty.raw()).not.toContain(apiKey);
  });

  test("a failed try is told; it can be saved all the same, or something else chosen", async () => {
    await using home = await emptyHome({ replies: [{ status: 404, body: { error: { message: "no such model" } } }] });
    await using pty = run(home, ["setup"], { ports: [portOf(home)] });
    await pty.until("Enter");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    await pty.until("What now?");
    pty.type(enter);
    await pty.until(/What now\? .*Choose something else[\s\S]*Who should answer\?/);
    pty.type(enter);
    await pty.until(/What now\?[\s\S]*> .*alpha/);
    pty.type(enter);
    await pty.until(/What now\? [\s\S]*What now\?/);
    // A number that the list does not have is none.
    pty.type("49");
    await pty.until(/> 4 {2}Save it all the same/);
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).toContain('model = "alpha"');
  });

  test("Esc skips a try that hangs", async () => {
    await using home = await emptyHome({ replies: [{ connection: "silent" }] });
    await using pty = run(home, ["setup"], { ports: [portOf(home)] });
    await pty.until("Enter");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    await home.server.request(2);
    pty.type(escapeKey);
    await pty.until("The test was skipped.");
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).toContain('model = "alpha"');
  });

  test("a saved key goes to another server only where the person says so", async () => {
    await using home = await emptyHome();
    const before = `[providers.openai-compatible]\nbaseUrl = "https://example.org/v1"\napiKey = "${apiKey}"\n\n[limits] # mine\nsteps = 3 # few\n`;
    await Bun.write(home.config, before);
    await using pty = run(home, ["setup"], { ports: [portOf(home)] });
    await pty.until("Enter");
    pty.type(enter);
    await pty.until("The settings have an API key for example.org");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).not.toContain("apiKey");
    expect(await settings(home)).toContain("\n[limits] # mine\nsteps = 3 # few\n");
    expect(home.server.requests.every(({ headers }) => !headers.has("authorization"))).toBe(true);
  });

  test("another server: its URL is checked, its models are asked for with the key", async () => {
    await using home = await emptyHome({ key: apiKey });
    await using pty = run(home, ["setup"]);
    await pty.until("Enter");
    await chooseLabel(pty, "Another server");
    await pty.until("Base URL");
    pty.type(`nonsense${enter}`);
    await pty.until("It must be an http");
    pty.type(`\x15${home.server.url}/v1${enter}`);
    await pty.until("API key, if it wants one");
    pty.type(`${apiKey}${enter}`);
    await pty.until("> alpha");
    pty.type(enter);
    expect(await pty.exited()).toBe(0);
    expect(await settings(home)).toContain(`apiKey = "${apiKey}"`);
    expect(pty.raw()).not.toContain(apiKey);
  });
});

describe("P2 leaving setup", () => {
  const before = '# kept as it is\r\nprovider   = "openai"\r\nmodel = "gpt-5"\r\n';
  type Step = readonly [until: string | RegExp, type: string];
  const start: Step = ["Enter", ""];
  const toModels: Step = ["Enter", enter];
  const questions: { readonly [name: string]: { readonly steps: readonly Step[]; readonly at: string | RegExp } } = {
    "who answers": { steps: [], at: "Enter" },
    "a model": { steps: [toModels], at: "Which model?" },
    "a filter half typed": { steps: [toModels, ["Which model?", "al"]], at: "filter: al" },
    "a key": { steps: [start, ["Enter", "3"], [/> 3 {2}Anthropic/, enter]], at: "API key for Anthropic" },
    "a URL": { steps: [start, ["Enter", "7"], [/> \d {2}Another/, enter]], at: "Base URL" },
    "the try": { steps: [toModels, ["Which model?", enter]], at: "Asking" },
    "a pull": {
      steps: [start, ["Enter", "2"], [/> 2 {2}A model/, enter], ["Which model?", enter], ["Fetch it now", enter]],
      at: "10%",
    },
  };
  for (const [name, { steps, at }] of Object.entries(questions)) {
    for (const [key, code] of [
      [ctrlC, 130],
      [ctrlD, 0],
    ] as const) {
      test(`at ${name} by Ctrl-${key === ctrlC ? "C" : "D"} changes no setting`, async () => {
        await using home = await emptyHome({ replies: [{ connection: "silent" }] });
        await Bun.write(home.config, before);
        await using pty = run(home, ["setup"], { ports: [portOf(home)] });
        for (const [until, typed] of steps) {
          await pty.until(until);
          pty.type(typed);
        }
        await pty.until(at);
        pty.type(key);
        expect(await pty.exited()).toBe(code);
        expect(await pty.screen()).toEndWith("Setup was left; no setting is changed.");
        expect(await settings(home)).toBe(before);
        expect(await filesIn(home)).toEqual(["config.toml"]);
        expect(pty.raw().lastIndexOf("\x1b[?25h")).toBeGreaterThan(pty.raw().lastIndexOf("\x1b[?25l"));
      });
    }
  }

  test("by Ctrl-Z gives the terminal back, and fg asks on where it was", async () => {
    await using home = await emptyHome();
    const line = '"$@"; echo "stopped: $(stty -a | grep -o -- "-*icanon")"; fg';
    const command = ["bash", "--norc", "-ic", line, "bash", process.execPath, source, "setup"];
    await using pty = openPty(command, { env: { ...home.env, SERVERS: "[]" } });
    await pty.until("Enter");
    pty.type("2");
    await pty.until(/> 2 {2}Anthropic/);
    pty.type("\x1a");
    await pty.until("stopped: icanon");
    await pty.until(/stopped: [\s\S]*> 2 {2}Anthropic[\s\S]*Enter/);
    pty.type(enter);
    await pty.until("API key for Anthropic");
    pty.type(ctrlC);
    expect(await pty.exited()).toBe(130);
    expect(await pty.screen()).toEndWith("Setup was left; no setting is changed.");
  });

  test("by SIGTERM gives the terminal back", async () => {
    await using home = await emptyHome();
    await using pty = run(home, ["setup"]);
    await pty.until("Enter");
    pty.process.kill("SIGTERM");
    expect(await pty.exited()).toBe(143);
    expect(pty.raw()).toContain("\x1b[?25h");
    expect(pty.raw()).toContain("\x1b[?2004l");
  });
});

describe("P2 what answers on this machine", () => {
  async function served(listener: RequestListener): Promise<AsyncDisposable & { readonly port: number }> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      port: (server.address() as AddressInfo).port,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  const hostile: { readonly [name: string]: RequestListener } = {
    "a page": (_request, response) => response.end("<!doctype html><title>hi</title>"),
    "another JSON": (_request, response) => response.end('{"data":[{"name":"x"}]}'),
    "a redirect": (_request, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "an endless list": (_request, response) => {
      response.write('{"data":[');
      const more = () => {
        while (!response.destroyed && response.write(`{"id":"${"x".repeat(60_000)}"},`)) {
          // until the reader is slow
        }
      };
      response.on("drain", more);
      more();
    },
    silence: () => {},
  };
  for (const [name, listener] of Object.entries(hostile)) {
    test(`${name} is no model server`, async () => {
      await using home = await emptyHome();
      await using server = await served(listener);
      await using pty = run(home, ["setup"], { ports: [server.port] });
      await pty.until("Enter");
      expect((await screenOf(pty))[1]).toMatch(/^> 1 {2}A model inside Poppet/);
      pty.type(ctrlC);
      expect(await pty.exited()).toBe(130);
    });
  }

  test("no key is sent, and names that would steer the terminal are left out", async () => {
    const seen: string[] = [];
    await using home = await emptyHome();
    await using server = await served((request, response) => {
      seen.push(JSON.stringify(request.headers));
      response.end(JSON.stringify({ data: [{ id: "bad\x1b[2Jname" }, { id: "\x07" }, { id: "good" }] }));
    });
    const env = { OPENAI_COMPATIBLE_API_KEY: apiKey };
    await using pty = run(home, ["setup"], { ports: [server.port], env });
    await pty.until("1 model");
    pty.type(enter);
    await pty.until("> good");
    expect(pty.raw()).not.toMatch(/\x1b\[2J|\x07|bad/);
    expect(seen.join("")).not.toContain(apiKey);
    pty.type(ctrlC);
    expect(await pty.exited()).toBe(130);
  });
});

describe("§8.8 chat new with nothing configured", () => {
  test("offers setup on a terminal, and then answers the message", async () => {
    await using home = await emptyHome({ replies: [say("Hello you."), say("Blue light scatters.")] });
    await using pty = run(home, ["chat", "new", "Why is the sky blue?"], { ports: [portOf(home)] });
    await pty.until("Set up now? [Y/n]");
    pty.type(enter);
    await pty.until("Who should answer?");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    await pty.until("Blue light scatters.");
    expect(await pty.exited()).toBe(0);
    expect(await pty.screen()).toContain("Set up now? [Y/n] yes\nWho should answer? Ollama on this machine\n");
    const { session, runs } = await home.show(sessionOf(await pty.screen()));
    expect(session).toMatchObject({ provider: "openai-compatible", model: "alpha" });
    expect(runs).toMatchObject([{ state: "completed" }]);
  });

  test("offers setup to chat interactive too, and then asks for a message", async () => {
    await using home = await emptyHome({ replies: [say("Hello you."), say("Blue light scatters.")] });
    await using pty = run(home, ["chat", "interactive"], { ports: [portOf(home)] });
    await pty.until("Set up now? [Y/n]");
    pty.type(enter);
    await pty.until("Who should answer?");
    pty.type(enter);
    await pty.until("Which model?");
    pty.type(enter);
    await pty.until("New session with openai-compatible/alpha.");
    await pty.shows(/You>$/);
    pty.type(`Why is the sky blue?${enter}`);
    await pty.until("Blue light scatters.");
    await pty.shows(/You>$/);
    pty.type(ctrlD);
    expect(await pty.exited()).toBe(0);
  });

  for (const typed of [`n${enter}`, ctrlD]) {
    test(`${JSON.stringify(typed)} saves the message, and its run fails no_model`, async () => {
      await using home = await emptyHome();
      await using pty = run(home, ["chat", "new", "Why?"]);
      await pty.until("Set up now?");
      pty.type(typed);
      await pty.until("No model is chosen yet");
      expect(await pty.exited()).toBe(1);
      const { session, runs } = await home.show(sessionOf(await pty.screen()));
      expect(session).toMatchObject({ provider: null, model: null });
      expect(runs).toMatchObject([{ state: "failed", error: { code: "no_model" } }]);
    });
  }

  test("Ctrl-C stops: nothing is saved", async () => {
    await using home = await emptyHome();
    await using pty = run(home, ["chat", "new", "Why?"], { env: { TERM: "dumb" } });
    await pty.until("Set up now?");
    pty.type(ctrlC);
    expect(await pty.exited()).toBe(130);
    expect(await pty.screen()).toEndWith("Stopped; nothing was sent.");
    expect(await filesIn(home)).toEqual([]);
  });
});

/** Moves to the line of the list that has the label, and takes it. */
async function chooseLabel(pty: Pty, label: string): Promise<void> {
  const line = (await screenOf(pty)).find((one) => one.includes(`  ${label}`)) ?? "";
  const number = /(\d) {2}/.exec(line)?.[1] ?? "";
  pty.type(number);
  await pty.until(new RegExp(`> ${number} {2}${label}`));
  pty.type(enter);
}
