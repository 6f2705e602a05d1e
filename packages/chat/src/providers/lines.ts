/** Text that comes line by line, such as JSON lines. */
import { ChatError } from "../errors.ts";

const lineFeed = 10;
/** Far more than an answer within its limits takes. */
const longest = 16_777_216;

/**
 * Lines of UTF-8 from bytes that come in any pieces, such as a response's body. One longer than `limit` bytes, 16 MiB where
 * none is said, is `provider_malformed`, before it has filled the memory.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, limit = longest): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      bytes += end - from;
      if (bytes > limit) throw tooLong(limit);
      yield textOf([...parts, chunk.subarray(from, end)]);
      from = end + 1;
      parts = [];
      bytes = 0;
    }
    if (from === chunk.length) continue;
    bytes += chunk.length - from;
    if (bytes > limit) throw tooLong(limit);
    // A copy: the next chunk may be read into the same memory.
    parts.push(new Uint8Array(chunk.subarray(from)));
  }
  if (parts.length > 0) yield textOf(parts);
}

/** Decoded as a whole, so that no character is split. */
function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

function tooLong(limit: number): ChatError {
  return new ChatError(
    "provider_malformed",
    `A line of more than ${limit} bytes came; it was not read to its end. Ask for less at once.`,
    { details: { limit } },
  );
}
