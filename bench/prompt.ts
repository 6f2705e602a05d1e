/**
 * The interactive prompt in a pseudo-terminal: how soon it is there, how soon a message is on its way, and how soon a key
 * is seen while an answer streams.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { startModelServer } from "../packages/poppet/test/model-server/index.ts";
import { median } from "./measure.ts";
import { seedSessions } from "./seed.ts";
import { startServer } from "./server.ts";
import type { Line } from "./table.ts";

const program = new URL("../dist/poppet.js", import.meta.url).pathname;
const label = "You>";

export async function benchPrompt(folder: string, rounds: number): Promise<readonly Line[]> {
  const home = `${folder}/prompt`;
  mkdirSync(home);
  const session = await seedSessions(home, 10);
  return [
    await benchStart(home, session, rounds),
    await benchEnter(home, session, rounds),
    ...(await benchEcho(folder, rounds)),
  ];
}

/** A program in a terminal, and when its output has a text that it had not before. */
function openTerminal(argv: readonly string[], env: { readonly [name: string]: string }) {
  const decoder = new TextDecoder();
  let seen = "";
  let look = () => {};
  const child = Bun.spawn([...argv], {
    env: { ...process.env, TERM: "xterm-256color", ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data(_terminal, data) {
        seen += decoder.decode(data, { stream: true });
        look();
      },
    },
  });
  return {
    child,
    type: (text: string) => void child.terminal?.write(text),
    /** From now on; the time at which it came. */
    next(text: string): Promise<number> {
      seen = "";
      return this.first(text);
    },
    /** Since the start, or since the last look. */
    first(text: string): Promise<number> {
      return new Promise((resolve) => {
        look = () => {
          if (!seen.includes(text)) return;
          look = () => {};
          resolve(performance.now());
        };
        look();
      });
    },
    async end() {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}

function settings(folder: string, name: string, baseUrl: string): string {
  const file = `${folder}/${name}.toml`;
  writeFileSync(
    file,
    `provider = "openai-compatible"\nmodel = "bench"\n[providers.openai-compatible]\nbaseUrl = "${baseUrl}"\n`,
  );
  return file;
}

async function benchStart(home: string, session: string, rounds: number): Promise<Line> {
  const env = { POPPET_HOME: home, POPPET_CONFIG: settings(home, "start", "http://127.0.0.1:1") };
  const opening = await buildFloor(home);
  const rows: { readonly value: number; readonly floor: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    await Bun.spawn(["bun", opening, `${home}/poppet.db`], { stdin: "ignore", stdout: "ignore" }).exited;
    const floor = performance.now() - began;
    const started = performance.now();
    const terminal = openTerminal(["bun", program, "chat", "interactive", session], env);
    rows.push({ value: (await terminal.first(`${label} \x1b`)) - started, floor });
    await terminal.end();
  }
  const counted = rows.slice(1);
  const ratio = median(counted.map(({ value, floor }) => value / floor));
  return {
    what: "chat interactive ID, to its prompt",
    value: `${median(counted.map((row) => row.value)).toFixed(1)} ms`,
    floor: `Bun that opens the store ${median(counted.map((row) => row.floor)).toFixed(1)} ms`,
    ratio: `${ratio.toFixed(2)}x`,
    target: `2x${ratio <= 2 ? "" : " MISSED"}`,
  };
}

async function buildFloor(folder: string): Promise<string> {
  const entry = new URL("./floor/store.ts", import.meta.url).pathname;
  await Bun.build({ entrypoints: [entry], outdir: folder, target: "bun", format: "cjs", bytecode: true, minify: true });
  return `${folder}/store.js`;
}

async function benchEnter(home: string, session: string, rounds: number): Promise<Line> {
  const server = await startModelServer({
    replies: [{ parts: [{ type: "text", text: "Yes." }] }],
    afterLast: "repeat",
  });
  const env = { POPPET_HOME: home, POPPET_CONFIG: settings(home, "enter", server.baseUrl("openai-compatible")) };
  let number = 0;
  const asked = async () => {
    await server.request(++number);
    return performance.now();
  };
  const rows: { readonly value: number; readonly floor: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    const once = Bun.spawn(["bun", program, "chat", "send", session, "hello"], {
      ...{ stdin: "ignore", stdout: "ignore", stderr: "ignore" },
      env: { ...process.env, ...env },
    });
    const floor = (await asked()) - began;
    await once.exited;
    const terminal = openTerminal(["bun", program, "chat", "interactive", session], env);
    await terminal.first(`${label} \x1b`);
    terminal.type("hello");
    await terminal.first("hello");
    const entered = performance.now();
    terminal.type("\r");
    rows.push({ value: (await asked()) - entered, floor });
    await terminal.first("Yes.");
    await terminal.end();
  }
  await server.close();
  const counted = rows.slice(1);
  const more = median(counted.map(({ value, floor }) => value - floor));
  return {
    what: "from Enter to the request",
    value: `${median(counted.map((row) => row.value)).toFixed(1)} ms`,
    floor: `chat send ${median(counted.map((row) => row.floor)).toFixed(1)} ms`,
    ratio: `${more > 0 ? "+" : ""}${more.toFixed(1)} ms`,
    target: `+5 ms${more <= 5 ? "" : " MISSED"}`,
  };
}

/** The first key opens the line below the answer, the others go into it. */
async function benchEcho(folder: string, rounds: number): Promise<readonly Line[]> {
  using server = await startServer(folder, {
    replies: [{ parts: [{ type: "deltas", count: 100_000, text: "word ", everyMs: 2 }] }],
    afterLast: "repeat",
  });
  const env = { POPPET_HOME: `${folder}/echo`, POPPET_CONFIG: settings(folder, "echo", `${server.url}/v1`) };
  const terminal = openTerminal(["bun", program, "chat", "interactive"], env);
  await terminal.first(`${label} `);
  terminal.type("hello\r");
  await terminal.first("word word");
  const opening: number[] = [];
  const typing: number[] = [];
  const press = async (key: string, echo: string) => {
    const pressed = performance.now();
    const seen = terminal.next(echo);
    terminal.type(key);
    return (await seen) - pressed;
  };
  for (let round = 0; round < rounds; round++) {
    opening.push(await press("q", "q"));
    for (const key of "xyz") typing.push(await press(key, key));
    // Enter on an empty line lets the answer go on.
    await press("\x15", label);
    await press("\r", "word");
    await Bun.sleep(50);
  }
  await terminal.end();
  const line = (what: string, times: readonly number[]): Line => ({
    what,
    value: `${median(times).toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms`,
    floor: "",
    ratio: "",
    target: `5 ms${median(times) <= 5 ? "" : " MISSED"}`,
  });
  return [line("a key that opens the line, at 500 deltas a second", opening), line("a key in it, to its echo", typing)];
}
