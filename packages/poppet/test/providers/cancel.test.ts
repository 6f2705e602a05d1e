import { describe, expect, test } from "bun:test";
import { ChatError } from "@poppet/chat";
import type { Reply } from "../model-server/index.ts";
import { collect, failureOf, openAt, providers, requestOf, user, withServer } from "./setup.ts";

const stalls: readonly (readonly [string, Reply])[] = [
  ["before the first event", { parts: [{ type: "stall" }] }],
  ["in the reasoning", { parts: [{ type: "reasoning", text: "Hm" }, { type: "stall" }] }],
  ["in the answer", { parts: [{ type: "text", text: "Half" }, { type: "stall" }] }],
  ["after a tool call", { parts: [{ type: "tool-call", id: "call_1", name: "t", input: {} }, { type: "stall" }] }],
  ["in an error's body", { status: 500, body: "{", after: "stall" }],
];

describe.each(providers)("C11 cancelling $provider", ({ provider, model }) => {
  test.each(stalls)("C11 an abort %s closes the connection", async (_name, reply) => {
    await withServer([reply], async (server) => {
      const opened = await openAt(server, { provider, model });
      const abort = new AbortController();
      const failing = failureOf(collect(opened.stream(requestOf([user("Hi")], { signal: abort.signal }))));
      const request = await server.request(1);
      abort.abort();
      expect((await failing).code).toBe("aborted");
      expect(await request.over).toBe("client");
      expect(server.requests).toHaveLength(1);
    });
  });

  test("§8.7 a deadline's own error comes through", async () => {
    await withServer([{ parts: [{ type: "text", text: "Half" }, { type: "stall" }] }], async (server) => {
      const opened = await openAt(server, { provider, model });
      const abort = new AbortController();
      const deadline = new ChatError("request_deadline", "60 seconds are over.");
      const failing = failureOf(collect(opened.stream(requestOf([user("Hi")], { signal: abort.signal }))));
      await server.request(1);
      abort.abort(deadline);
      expect(await failing).toBe(deadline);
    });
  });

  test("C11 a signal that is already aborted sends nothing", async () => {
    await withServer([], async (server) => {
      const opened = await openAt(server, { provider, model });
      const failure = await failureOf(collect(opened.stream(requestOf([user("Hi")], { signal: AbortSignal.abort() }))));
      expect([failure.code, server.requests.length]).toEqual(["aborted", 0]);
    });
  });

  test("C11 a reader that leaves early closes the connection", async () => {
    await withServer([{ parts: [{ type: "text", text: ["a", "b"] }, { type: "stall" }] }], async (server) => {
      const opened = await openAt(server, { provider, model });
      for await (const _event of opened.stream(requestOf([user("Hi")]))) break;
      expect(await (await server.request(1)).over).toBe("client");
    });
  });
});
