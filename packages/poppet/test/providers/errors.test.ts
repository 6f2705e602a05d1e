import { describe, expect, test } from "bun:test";
import { apiKey } from "../model-server/index.ts";
import { faultsOf } from "./faults.ts";
import { collect, failureOf, openAt, providers, requestOf, user, withServer } from "./setup.ts";

describe.each(providers)("C11 $provider", ({ provider, model }) => {
  test.each([...faultsOf(provider)])("C11 %s is %s", async (_name, code, reply, retryAt) => {
    await withServer([reply], async (server) => {
      const opened = await openAt(server, { provider, model });
      const failure = await failureOf(collect(opened.stream(requestOf([user("Hi")]))));
      expect([failure.code, failure.message]).toEqual([code, failure.message]);
      expect(failure.details.retryAt ?? null).toEqual(retryAt);
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]?.refusal).toBeNull();
      expect(failure.message).not.toContain(apiKey);
      expect(failure.message).toMatch(/^[^\u0000-\u001f\u007f]{20,600}$/);
      expect(failure.cause).toBeUndefined();
      expect(await server.requests[0]?.over).toBeOneOf(["client", "cut", "ended"]);
    });
  });

  test.each([
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["refusal", "content-filter"],
  ] as const)("§8.6 a finish by %s is told as %s", async (finish, reason) => {
    await withServer([{ parts: [{ type: "text", text: "Half" }], finish }], async (server) => {
      const opened = await openAt(server, { provider, model });
      expect((await collect(opened.stream(requestOf([user("Hi")])))).finish.reason).toBe(reason);
    });
  });

  test("§8.6 an answer without a word is finished, with nothing to continue", async () => {
    await withServer([{ parts: [] }], async (server) => {
      const opened = await openAt(server, { provider, model });
      const { text, finish } = await collect(opened.stream(requestOf([user("Hi")])));
      expect([text, finish.reason, finish.continuation]).toEqual(["", "stop", null]);
    });
  });

  test("§7 a redirect carries neither key nor conversation to another host", async () => {
    await withServer([], async (thief) => {
      await withServer([{ status: 308, headers: { location: thief.baseUrl(provider) } }], async (server) => {
        const opened = await openAt(server, { provider, model });
        const failure = await failureOf(collect(opened.stream(requestOf([user("Hi")]))));
        expect([failure.code, failure.details.status]).toEqual(["provider_rejected", 308]);
        expect([server.requests.length, thief.requests.length]).toEqual([1, 0]);
      });
    });
  });

  test("C11 a server that is not there cannot be reached", async () => {
    const opened = await withServer([], (server) => openAt(server, { provider, model }));
    const failure = await failureOf(collect(opened.stream(requestOf([user("Hi")]))));
    expect(failure.code).toBe("provider_network");
    expect(failure.message).not.toContain(apiKey);
  });

  test("C11 the next request after a failure works", async () => {
    await withServer([{ parts: [{ type: "cut" }] }, { parts: [{ type: "text", text: "Back." }] }], async (server) => {
      const opened = await openAt(server, { provider, model });
      await failureOf(collect(opened.stream(requestOf([user("Hi")]))));
      expect((await collect(opened.stream(requestOf([user("Hi")])))).text).toBe("Back.");
      expect(server.requests).toHaveLength(2);
    });
  });

  test("C14 arguments that are not JSON are handed on as they came", async () => {
    // Gemini's arguments are part of the event's own JSON.
    if (provider === "gemini") return;
    const call = { type: "tool-call", id: "call_1", name: "poppet_test__weather", input: '{"city": "Par' } as const;
    await withServer([{ parts: [call] }], async (server) => {
      const opened = await openAt(server, { provider, model });
      const { events } = await collect(opened.stream(requestOf([user("Hi")])));
      expect(events.find((event) => event.type === "tool-call")?.input).toBe('{"city": "Par');
    });
  });

  test("C11 a character split over two chunks stays whole", async () => {
    await withServer([{ parts: [{ type: "split-text", text: "a🐧b" }] }], async (server) => {
      const opened = await openAt(server, { provider, model });
      expect((await collect(opened.stream(requestOf([user("Hi")])))).text).toBe("a🐧b");
    });
  });
});
