import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelServer, type Reply, startModelServer } from "../model-server/index.ts";
import { chromium } from "./chromium.ts";

const library = new URL("../../../chat/dist", import.meta.url).pathname;
const html = `<!doctype html>
<script type="importmap">{ "imports": {
  "@poppet/chat": "/lib/index.js", "@poppet/chat/ai-sdk": "/lib/providers/index.js", "@poppet/chat/encrypt": "/lib/encrypt.js",
  "@ai-sdk/openai-compatible": "/sdk.js"
} }</script>
<script type="module" src="/page.mjs"></script>`;

const replies: readonly Reply[] = [
  { parts: [{ type: "tool-call", id: "call_1", name: "math__add", input: { a: 1, b: 2 } }] },
  { parts: [{ type: "text", text: ["It is ", "3."] }] },
  { parts: [{ type: "text", text: ["Half"] }, { type: "stall" }] },
  { parts: [{ type: "text", text: ["Again."] }] },
];

test("L9 the published package runs in a browser: a tool, an abort, a command, an encrypted snapshot", async () => {
  const built = Bun.spawnSync(["bun", new URL("../../../../scripts/library.ts", import.meta.url).pathname]);
  expect(built.exitCode).toBe(0);
  const model = await startModelServer({ replies });
  const result = Promise.withResolvers<unknown>();
  const sdk = await bundled("@ai-sdk/openai-compatible");
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/") return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
      if (pathname === "/sdk.js") return new Response(sdk, { headers: { "content-type": "text/javascript" } });
      if (pathname === "/page.mjs") return new Response(Bun.file(`${import.meta.dir}/page.mjs`));
      if (pathname.startsWith("/lib/")) return new Response(Bun.file(join(library, pathname.slice(4))));
      if (pathname.startsWith("/v1/")) return passOn(request, model, pathname);
      if (pathname !== "/result") return new Response(null, { status: 404 });
      result.resolve(await request.json());
      return new Response();
    },
  });
  const { command, env } = chromium();
  const profile = mkdtempSync(join(tmpdir(), "poppet-browser-"));
  const browser = Bun.spawn([...command, `--user-data-dir=${profile}`, server.url.href], {
    env: { ...process.env, ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  const complaints = new Response(browser.stderr).text();
  try {
    const ended = browser.exited.then(async () => ({ thrown: await complaints }));
    expect(await Promise.race([result.promise, ended])).toEqual({
      answer: "It is 3.",
      stopped: "aborted",
      refused: "snapshot_key",
      again: "Again.",
      undone: expect.stringContaining("Once more?"),
      handled: false,
      exchanges: 1,
    });
    expect(await (await model.request(3)).over).toBe("client");
    expect(model.requests.map((request) => request.refusal)).toEqual([null, null, null, null]);
  } finally {
    browser.kill("SIGKILL");
    await browser.exited;
    await server.stop(true);
    await model.close();
    rmSync(profile, { recursive: true, force: true });
  }
}, 300_000);

async function bundled(name: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [Bun.resolveSync(name, import.meta.dir)],
    target: "browser",
    format: "esm",
  });
  return outputs[0]?.text() ?? "";
}

/** To the model server, and its answer back piece by piece. */
function passOn(request: Request, model: ModelServer, pathname: string): Promise<Response> {
  const { method, body, signal } = request;
  const headers = { "content-type": "application/json", authorization: request.headers.get("authorization") ?? "" };
  return fetch(`${model.url}${pathname}`, { method, headers, body, signal });
}
