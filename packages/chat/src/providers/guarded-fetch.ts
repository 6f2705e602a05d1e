/**
 * `fetch` for providers: follows no redirect, since that would carry the key and the conversation to another host; reads
 * no more of an error's body than an error message can use; ends an answer with an event in it that would fill the
 * memory. A web page is an error as well.
 */
import { ChatError } from "../errors.ts";
import { eventSize } from "./event-size.ts";
import { safeWords } from "./provider-words.ts";

const errorBodyBytes = 65_536;
/** Far more than an answer within its limits takes. Parsers keep an event until its end, so no limit of theirs is in time. */
const eventBytes = 16_777_216;

/** The part of `fetch` that providers use. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** `secrets` are shown in no error, whoever repeats them. */
export function guardedFetch(label: string, fetch: Fetch = globalThis.fetch, secrets: readonly string[] = []): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.ok) {
      if (!isPage(response)) return bounded(response, label);
      await response.body?.cancel().catch(() => {});
      throw new ChatError(
        "provider_malformed",
        `Instead of an answer there was a web page from ${label}. Check the base URL.`,
      );
    }
    // A browser hides what a redirect is; elsewhere it has its status.
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel().catch(() => {});
      throw redirected(label, response, secrets);
    }
    return new Response(await beginning(response), {
      status: response.status,
      statusText: response.statusText,
      headers: withoutLength(response.headers),
    });
  };
}

function bounded(response: Response, label: string): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const size = eventSize();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (size(value) <= eventBytes) return controller.enqueue(value);
        reader.cancel().catch(() => {});
        throw new ChatError(
          "provider_malformed",
          `An event of more than ${eventBytes} bytes came from ${label}; it was not read to its end. Check the base URL.`,
          { details: { limit: eventBytes } },
        );
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers: withoutLength(headers) });
}

/** What a wrong address or a sign-in page of a network answers, with status 200. */
function isPage(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/html") ?? false;
}

function redirected(label: string, response: Response, secrets: readonly string[]): ChatError {
  const location = response.headers.get("location") ?? "";
  const host = URL.canParse(location, response.url || undefined)
    ? new URL(location, response.url || undefined).host
    : "";
  const to = host === "" ? "elsewhere" : `to ${safeWords(host, secrets, 100)}`;
  return new ChatError(
    "provider_rejected",
    `A redirect ${to} by ${label} (HTTP ${response.status}) was not followed, so that the key stays where it belongs. Check the base URL.`,
    { details: { status: response.status } },
  );
}

export async function beginning(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (reader && bytes < errorBodyBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
  }
  reader?.cancel().catch(() => {});
  const whole = new Uint8Array(Math.min(bytes, errorBodyBytes));
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, whole.length - at);
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
  return kept;
}
