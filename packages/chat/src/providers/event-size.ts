/** The size of the event that a stream of server-sent events is in, for a bound that no parser of them has. */

const lineFeed = 10;
const carriageReturn = 13;

/** Takes a stream chunk by chunk; returns the bytes since the last empty line, which is what ends an event. */
export function eventSize(): (chunk: Uint8Array) => number {
  let size = 0;
  /** Nothing has come yet of the line that the next chunk goes on with. */
  let lineIsEmpty = true;
  return (chunk) => {
    const end = endOfLast(chunk, lineIsEmpty);
    size = end === 0 ? size + chunk.length : chunk.length - end;
    lineIsEmpty = endsLine(chunk, lineIsEmpty);
    return size;
  };
}

/** Just after the last empty line, or 0. From the back, as a chunk mostly ends with one. */
function endOfLast(chunk: Uint8Array, lineIsEmpty: boolean): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] !== lineFeed) continue;
    const before = chunk[at - 1] === carriageReturn ? at - 2 : at - 1;
    if (before < 0 ? lineIsEmpty : chunk[before] === lineFeed) return at + 1;
  }
  return 0;
}

function endsLine(chunk: Uint8Array, lineIsEmpty: boolean): boolean {
  const last = chunk.at(-1) === carriageReturn ? chunk.length - 2 : chunk.length - 1;
  return last < 0 ? lineIsEmpty : chunk[last] === lineFeed;
}
