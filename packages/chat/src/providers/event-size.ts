/** The size of the event that a stream of server-sent events is in, for a bound that no parser of them has. */

const lineFeed = 10;
const carriageReturn = 13;

/** Takes a stream chunk by chunk; returns the bytes since the last empty line, which is what ends an event. */
export function eventSize(): (chunk: Uint8Array) => number {
  let size = 0;
  /** A stream begins as if a line had just ended. */
  let last = lineFeed;
  return (chunk) => {
    const end = endOfLast(chunk, last, size === 0);
    size = end === 0 ? size + chunk.length : chunk.length - end;
    last = chunk.at(-1) ?? last;
    return size;
  };
}

/**
 * Just after the last empty line, or 0. A line ends with CR, LF or both. From the back, as a chunk mostly ends with one.
 * `last` is the byte before the chunk, `between` whether it ended an event.
 */
function endOfLast(chunk: Uint8Array, last: number, between: boolean): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (!endsLine(chunk[at])) continue;
    const isSecondHalf = chunk[at] === lineFeed && (chunk[at - 1] ?? last) === carriageReturn;
    const before = isSecondHalf ? at - 2 : at - 1;
    if (before < -1 ? between : endsLine(chunk[before] ?? last)) return at + 1;
  }
  return 0;
}

function endsLine(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}
