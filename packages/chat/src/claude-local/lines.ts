/** Lines of UTF-8 from bytes that come in any pieces. A line longer than `limit` bytes is an error, in time. */

export class LineTooLong extends Error {}

const lineFeed = 10;

export async function* linesOf(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      bytes += end - from;
      if (bytes > limit) throw new LineTooLong();
      yield textOf([...parts, chunk.subarray(from, end)]);
      from = end + 1;
      parts = [];
      bytes = 0;
    }
    if (from === chunk.length) continue;
    bytes += chunk.length - from;
    if (bytes > limit) throw new LineTooLong();
    // A copy: some runtimes read the next chunk into the same memory.
    parts.push(chunk.slice(from));
  }
  if (parts.length > 0) yield textOf(parts);
}

/** Decoded as a whole, so that no character is split. */
function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
