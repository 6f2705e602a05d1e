/**
 * The whole assistant against the scripted server: a store of its own, the real registry and a real provider's package, real
 * HTTP. What a test of a fault or a cancellation asks of it is here too.
 */
import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { type Clock, systemClock, type Tool } from "@poppet/chat";
import type { Assistant } from "../../src/assistant.ts";
import { openLocal } from "../../src/local.ts";
import { windowOf } from "../../src/models/catalogue.ts";
import { openModel } from "../../src/models/registry.ts";
import type { Settings } from "../../src/settings.ts";
import { temporaryFolder } from "../assistant.ts";
import { apiKey, type ModelServer, type Reply, startModelServer } from "../model-server/index.ts";
import { deps, type providers, settingsFor, weatherTool } from "../providers/setup.ts";

export type Choice = (typeof providers)[number];

export interface Rig extends AsyncDisposable {
  readonly assistant: Assistant;
  readonly server: ModelServer;
  readonly home: string;
}

export interface RigOptions {
  readonly replies: readonly Reply[];
  readonly clock?: Clock;
  readonly tools?: readonly Tool[];
  readonly settings?: Partial<Settings>;
}

export async function openRig(choice: Choice, options: RigOptions): Promise<Rig> {
  const folder = temporaryFolder();
  const server = await startModelServer({ replies: options.replies, key: apiKey });
  const settings = settingsFor(choice.provider, server.baseUrl(choice.provider), { ...choice, ...options.settings });
  const assistant = await openLocal({
    home: folder.path,
    settingsFolder: folder.path,
    settings,
    models: {
      window: (choice) => windowOf(choice, settings),
      tools: options.tools ?? [weatherTool()],
      open: ({ provider, model }, signal) => openModel({ provider, model }, settings, deps, signal),
    },
    clock: options.clock ?? systemClock,
  });
  return {
    assistant,
    server,
    home: folder.path,
    async [Symbol.asyncDispose]() {
      await assistant.close();
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}

export function weatherCall(id: string, city: string) {
  return { type: "tool-call", id, name: "poppet_test__weather", input: { city } } as const;
}

/** An exchange with reasoning and a tool, so that what is sent later has a provider's own records in it. */
export const goodExchange: readonly Reply[] = [
  {
    parts: [
      { type: "reasoning", text: "Look it up." },
      { type: "text", text: "Looking." },
      weatherCall("call_1", "Rome"),
    ],
  },
  {
    parts: [
      { type: "reasoning", text: "Now I know." },
      { type: "text", text: "Rome is sunny." },
    ],
  },
];

/** The bodies of the requests, in which IDs that tests do not choose do not occur. */
export function bodies(server: ModelServer): readonly unknown[] {
  return server.requests.map((request) => request.body);
}

/** Waits until no response is open any more; how each ended. */
export function endings(server: ModelServer): Promise<readonly string[]> {
  return Promise.all(server.requests.map((request) => request.over));
}

export function expectAccepted(server: ModelServer): void {
  expect(server.requests.map((request) => request.refusal)).toEqual(server.requests.map(() => null));
}

/** The key stands in no file of the data folder, in small letters neither, as a host's name has it. */
export function expectNoKey(home: string): void {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.map((file) => file.name)).toContain("poppet.db");
  for (const file of files) {
    const bytes = readFileSync(`${file.parentPath}/${file.name}`);
    expect([file.name, bytes.includes(apiKey) || bytes.includes(apiKey.toLowerCase())]).toEqual([file.name, false]);
  }
}
