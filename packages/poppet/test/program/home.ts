/**
 * The real program in a home of its own: `main.ts` as a child process or in a pseudo-terminal, with its store and its
 * settings file in a fresh folder, talking over HTTP to a scripted model server. Nothing of the machine's environment
 * gets in but PATH.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SearchResult, ShownSession } from "../../src/assistant.ts";
import {
  apiKey,
  type ModelServer,
  type ProtocolName,
  type Reply,
  type Script,
  startModelServer,
} from "../model-server/index.ts";
import { openPty, type Pty, type PtyOptions } from "../pty.ts";
import { type Child, type ChildOptions, type Ended, startChild } from "./child.ts";

export const program: readonly string[] = [process.execPath, join(import.meta.dir, "../../src/main.ts")];

export const models: { readonly [Name in ProtocolName]: string } = {
  openai: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  gemini: "gemini-2.5-flash",
  "openai-compatible": "test-model",
};

export interface Home extends AsyncDisposable {
  readonly path: string;
  /** The data folder. */
  readonly data: string;
  /** The settings file. */
  readonly config: string;
  readonly env: { readonly [name: string]: string };
  readonly server: ModelServer;
  /** The program with arguments, as a command line. */
  command(...given: readonly string[]): readonly string[];
  /** Runs a command to its end, stdin empty. */
  poppet(...given: readonly string[]): Promise<Ended>;
  /** Starts a command; more environment and a stdin can be given. */
  start(given: readonly string[], options?: Partial<ChildOptions>): Child;
  /** A command line of bash, in which "$@" is the program with what was given. */
  shell(line: string, ...given: readonly string[]): Child;
  terminal(given: readonly string[], options?: PtyOptions): Pty;
  show(sessionId: string): Promise<ShownSession>;
  search(query: string): Promise<SearchResult>;
}

export interface HomeOptions {
  /** Who answers by the settings file; null writes none. Default: `openai-compatible`. */
  readonly provider?: ProtocolName | null;
  /** More lines at the end of the settings file. */
  readonly settings?: string;
  /** Whether sessions are named by their model, which is a request more. Default: no. */
  readonly naming?: boolean;
  readonly env?: { readonly [name: string]: string };
}

export async function openHome(script: Script | readonly Reply[] = [], options: HomeOptions = {}): Promise<Home> {
  const { provider = "openai-compatible" } = options;
  const settings = options.naming ? (options.settings ?? "") : withoutNaming(options.settings ?? "");
  const path = await mkdtemp(join(tmpdir(), "poppet-program-"));
  const data = join(path, "data");
  const config = join(path, "config.toml");
  const server = await startModelServer("replies" in script ? script : { replies: script });
  const env = {
    ...{ HOME: path, PATH: process.env.PATH ?? "", LANG: "C.UTF-8", POPPET_HOME: data, POPPET_CONFIG: config },
    ...options.env,
  };
  if (provider !== null)
    await writeFile(config, settingsFor(provider, server.baseUrl(provider)) + settings, { mode: 0o600 });
  const start = (given: readonly string[], more: Partial<ChildOptions> = {}) =>
    startChild([...program, ...given], { ...more, env: { ...env, ...more.env } });
  const poppet = async (...given: readonly string[]) => {
    await using child = start(given);
    return await child.ended();
  };
  const json = async (...given: readonly string[]) => {
    const { code, stdout, stderr } = await poppet(...given);
    if (code !== 0) throw new Error(`${given.join(" ")}: exit ${code}, ${stderr}`);
    return JSON.parse(stdout);
  };
  return {
    ...{ path, data, config, env, server, poppet, start },
    command: (...given) => [...program, ...given],
    shell: (line, ...given) => startChild(["bash", "-c", line, "bash", ...program, ...given], { env }),
    terminal: (given, more = {}) => openPty([...program, ...given], { ...more, env: { ...env, ...more.env } }),
    show: (sessionId) => json("chat", "show", sessionId),
    search: (query) => json("chat", "search", query),
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

function withoutNaming(settings: string): string {
  const off = "[chat]\nnameSessions = false\n";
  return settings.includes("[chat]\n") ? settings.replace("[chat]\n", off) : `${settings}\n${off}`;
}

export function settingsFor(provider: ProtocolName, baseUrl: string): string {
  return `provider = "${provider}"
model = "${models[provider]}"

[providers.${provider}]
baseUrl = "${baseUrl}"
apiKey = "${apiKey}"
`;
}

/** The session that a run was told to be of, on stderr or in a terminal. */
export function sessionOf(output: string): string {
  const id = /session ([0-9a-f-]{36})/.exec(output)?.[1];
  if (id === undefined) throw new Error(`no session in ${JSON.stringify(output)}`);
  return id;
}

/** A session that has one answered message. */
export async function answeredSession(home: Home, text = "Hi", answer = "Hello."): Promise<string> {
  home.server.push(say(answer));
  const { code, stderr } = await home.poppet("chat", "new", "--", text);
  if (code !== 0) throw new Error(stderr);
  return sessionOf(stderr);
}

export function say(...text: readonly string[]): Reply {
  return { parts: [{ type: "text", text }] };
}

/** An answer that comes when the server opens the gate of that name. */
export function sayAfter(gate: string, text: string): Reply {
  return {
    parts: [
      { type: "gate", name: gate },
      { type: "text", text },
    ],
  };
}

/** For `shell`: opens descriptor 4, a pipe that nobody reads. */
export const withoutReader = `mkfifo "$HOME/unread"; exec 3<>"$HOME/unread" 4>"$HOME/unread" 3>&-; rm "$HOME/unread";`;

/** The session that a child has made and whose first answer is under way. */
export async function sessionUnderWay(home: Home, child: Child): Promise<string> {
  await child.stderr.until("run ");
  await home.server.request(1);
  return sessionOf(child.stderr.text());
}

export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}
