/** A server that speaks the Hugging Face hub's API and misbehaves as told: the hub redirects to a CDN, which has ranges. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HubBehaviour {
  /** A download stops after so many bytes and waits for `cut`, once for each number. */
  cutAfter: number[];
  ignoreRange: boolean;
  /** In place of the right one. */
  sha256: string | null;
  bytes: number | null;
  /** What the CDN sends in place of the file. */
  body: Uint8Array | null;
  /** For all of the hub's answers. */
  status: number;
  silent: boolean;
  /** The download stops here and the connection stays open. */
  stallAfter: number | null;
  etag: string;
  lfs: boolean;
}

export interface ModelHub {
  readonly url: string;
  readonly behaviour: HubBehaviour;
  /** The Range headers of the downloads, in order; `none` where there was none. */
  readonly ranges: string[];
  /** Breaks the connections of the downloads. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startModelHub(files: { readonly [path: string]: Uint8Array }): Promise<ModelHub> {
  const behaviour: HubBehaviour = {
    ...{ cutAfter: [], ignoreRange: false, sha256: null, bytes: null, body: null, status: 200 },
    ...{ silent: false, stallAfter: null, etag: '"one"', lfs: true },
  };
  const ranges: string[] = [];
  const open = new Set<ServerResponse>();

  const list = Object.entries(files).map(([path, content]) => () => ({
    type: "file",
    path,
    size: behaviour.lfs ? 134 : (behaviour.bytes ?? content.length),
    ...(behaviour.lfs
      ? { lfs: { oid: behaviour.sha256 ?? sha256(content), size: behaviour.bytes ?? content.length } }
      : {}),
  }));

  const sendFile = (request: IncomingMessage, response: ServerResponse, content: Uint8Array) => {
    const body = behaviour.body ?? content;
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
    ranges.push(request.headers.range ?? "none");
    const same = (request.headers["if-range"] ?? behaviour.etag) === behaviour.etag;
    const start = range && same && !behaviour.ignoreRange ? Number(range[1]) : 0;
    if (start > body.length) return response.writeHead(416).end();
    const headers: Record<string, string> = { etag: behaviour.etag, "content-length": String(body.length - start) };
    if (start > 0) headers["content-range"] = `bytes ${start}-${body.length - 1}/${body.length}`;
    response.writeHead(start > 0 ? 206 : 200, headers);
    const cut = behaviour.cutAfter.shift() ?? null;
    const most = cut ?? behaviour.stallAfter;
    const part = most === null ? body.subarray(start) : body.subarray(start, start + most);
    if (most === null) return response.end(part);
    open.add(response);
    response.write(part);
  };

  const cdn = createServer((request, response) => {
    const content = files[decodeURIComponent(request.url ?? "").slice(1)];
    if (content) sendFile(request, response, content);
    else response.writeHead(404).end();
  });
  const cdnUrl = await listen(cdn);
  const hub = createServer((request, response) => {
    if (behaviour.silent) return;
    if (behaviour.status !== 200) return response.writeHead(behaviour.status).end();
    if (request.url === "/api/models/some/model/tree/main?recursive=true") {
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify([{ type: "directory", path: "x" }, ...list.map((entry) => entry())]));
    }
    const file = /^\/[\w-]+\/[\w.-]+\/resolve\/\w+\/(.+)$/.exec(request.url ?? "");
    if (file) return response.writeHead(302, { location: `${cdnUrl}/${file[1]}` }).end();
    return response.writeHead(404).end();
  });
  const url = await listen(hub);
  return {
    url,
    behaviour,
    ranges,
    cut: () => {
      for (const response of open) response.destroy();
      open.clear();
    },
    stop: async () => {
      for (const server of [hub, cdn]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** A GGUF file of so many bytes: one entry, one tensor of noise. */
export function ggufLike(bytes: number, seed: number): Uint8Array {
  const content = Buffer.alloc(bytes);
  for (let at = 0, x = seed; at < bytes; at++) {
    x = (x * 1_103_515_245 + 12_345) & 0x7fffffff;
    content[at] = x >> 16;
  }
  const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
  const text = (value: string) => Buffer.concat([u64(value.length), Buffer.from(value)]);
  const head = [Buffer.from("GGUF"), u32(3), u64(1), u64(1), text("general.alignment"), u32(4), u32(32)];
  const dataAt = 96;
  // 24 is ggml's type for bytes.
  const tensor = [text("noise"), u32(1), u64(bytes - dataAt), u32(24), u64(0)];
  Buffer.concat([...head, ...tensor, Buffer.alloc(2)]).copy(content);
  return content;
}
