import { describe, expect, test } from "bun:test";
import { guardedFetch } from "./guarded-fetch.ts";

describe("§7 fetching from a provider", () => {
  const answering = (response: Response) => guardedFetch("Acme", async () => response);

  test("§7 a redirect is an error that names the host, and nothing is sent there", async () => {
    const inits: (RequestInit | undefined)[] = [];
    const fetch = guardedFetch("Acme", async (_input, init) => {
      inits.push(init);
      return new Response("", { status: 308, headers: { location: "https://evil.example/?key=1" } });
    });
    const failure = await fetch("https://api.acme.example", { headers: { authorization: "Bearer x" } }).catch(
      (thrown) => thrown,
    );
    expect([failure.code, failure.details.status]).toEqual(["provider_rejected", 308]);
    expect(failure.message).toContain("to evil.example by Acme ");
    expect(inits.map((init) => init?.redirect)).toEqual(["manual"]);
  });

  test("§7 a redirect that repeats the key in the host does not get it into the error", async () => {
    const location = "https://Sesame-77.evil.example/";
    const away = async () => new Response("", { status: 308, headers: { location } });
    const failure = await guardedFetch("Acme", away, ["Sesame-77"])("https://a.example").catch((thrown) => thrown);
    expect(failure.message).toContain("to [key].evil.example by Acme ");
  });

  test("§7 a good answer streams through; of an error's body only the beginning is read", async () => {
    const good = new Response("good", { headers: { "x-request-id": "1" } });
    const answered = await answering(good)("https://a.example");
    expect([answered.headers.get("x-request-id"), await answered.text()]).toEqual(["1", "good"]);
    const bad = await answering(new Response("x".repeat(1_000_000), { status: 500, headers: { "retry-after": "3" } }))(
      "https://a.example",
    );
    expect([bad.status, bad.headers.get("retry-after"), (await bad.text()).length]).toEqual([500, "3", 65_536]);
  });

  test("§7 a redirect that a browser hides is one too", async () => {
    const hidden = { ok: false, type: "opaqueredirect", status: 0, headers: new Headers(), body: null, url: "" };
    const failing = answering(hidden as unknown as Response)("https://a.example");
    await expect(failing).rejects.toMatchObject({ code: "provider_rejected" });
    await expect(failing).rejects.toThrow("A redirect elsewhere by Acme");
  });

  test("§7 lengths that hold no more are taken out, and who leaves an answer leaves its source", async () => {
    let left = 0;
    const body = () => new ReadableStream({ pull: (one) => one.enqueue(new Uint8Array(8)), cancel: () => void left++ });
    const headers = { "content-length": "5", "content-encoding": "gzip", "x-request-id": "1" };
    for (const status of [200, 500]) {
      const answered = await answering(new Response(body(), { status, headers }))("https://a.example");
      expect([...answered.headers.keys()]).toEqual(["x-request-id"]);
      await answered.body?.cancel();
      expect(left).toBe(status === 200 ? 1 : 2);
    }
  });

  test("§7 an event of just the most bytes passes", async () => {
    const bytes = new Uint8Array(16_777_216).fill(120);
    const answered = await answering(new Response(new Blob([bytes]).stream()))("https://a.example");
    expect((await answered.arrayBuffer()).byteLength).toBe(bytes.length);
  });

  test("§7 an event that never ends is not read for long, and many events are", async () => {
    const streamed = (chunk: Uint8Array) => {
      let sent = 0;
      let cancelled = false;
      const stream = new ReadableStream({
        pull(controller) {
          if (sent++ === 40) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: () => {
          cancelled = true;
        },
      });
      return { response: new Response(stream), state: () => ({ sent, cancelled }) };
    };
    const endless = streamed(new Uint8Array(1_048_576).fill(120));
    const failure = await (await answering(endless.response)("https://a.example")).text().catch((thrown) => thrown);
    expect([failure.code, failure.details.limit]).toEqual(["provider_malformed", 16_777_216]);
    expect(endless.state().sent).toBeLessThan(20);
    expect(endless.state().cancelled).toBe(true);
    const many = streamed(new TextEncoder().encode(`data: ${"x".repeat(1_048_576)}\n\n`));
    expect((await (await answering(many.response)("https://a.example")).text()).length).toBe(40 * 1_048_584);
  });

  test("§7 an error's body that never ends is not waited for", async () => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      controller.enqueue(new Uint8Array(70_000));
    const endless = new Response(new ReadableStream({ start }), { status: 500 });
    expect((await (await answering(endless)("https://a.example")).text()).length).toBe(65_536);
  });
});
