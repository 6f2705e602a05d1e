/** Asking a server that may be out of reach. */
import { messageOf } from "@poppet/chat";
import { safeWords } from "@poppet/chat/provider";

/** `fetch` that gives up when the server says nothing at all. */
export async function fetchFirstByte(
  url: string,
  headers: { readonly [name: string]: string },
  options: { readonly signal: AbortSignal; readonly firstByteMs: number },
): Promise<Response> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), options.firstByteMs);
  try {
    return await fetch(url, { headers, signal: AbortSignal.any([options.signal, silence.signal]) });
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (silence.signal.aborted) throw new Error(`no answer within ${options.firstByteMs / 1000} seconds`);
    throw new Error(`cannot be reached (${networkReason(thrown)})`);
  } finally {
    clearTimeout(timer);
  }
}

/** In brackets, so without a dot. */
export function networkReason(thrown: unknown): string {
  return safeWords(messageOf(thrown), []).replace(/\.$/, "");
}
