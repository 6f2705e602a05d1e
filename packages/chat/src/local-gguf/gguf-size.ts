/**
 * How long a GGUF file has to be by its own header: to the end of the tensor that ends last. A tensor of a kind that is
 * not known here counts from where it begins, so a good file is never called cut off.
 */
import { Buffer } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const windowBytes = 1 << 20;
const usualAlignment = 32;
/** By the number of the kind of value; 0 for those that say their length themselves. */
const valueBytes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const u32Kind = 4;
const stringKind = 8;
const arrayKind = 9;
const mostDimensions = 8;

/** Of ggml's types: how many numbers a block has, and its bytes. */
const blocks: { readonly [type: number]: readonly [numbers: number, bytes: number] } = {
  ...{ 0: [1, 4], 1: [1, 2], 2: [32, 18], 3: [32, 20], 6: [32, 22], 7: [32, 24], 8: [32, 34], 9: [32, 36] },
  ...{ 10: [256, 84], 11: [256, 110], 12: [256, 144], 13: [256, 176], 14: [256, 210], 15: [256, 292] },
  ...{ 16: [256, 66], 17: [256, 74], 18: [256, 98], 19: [256, 50], 20: [32, 18], 21: [256, 110], 22: [256, 82] },
  ...{ 23: [256, 136], 24: [1, 1], 25: [1, 2], 26: [1, 4], 27: [1, 8], 28: [1, 8], 29: [256, 56], 30: [1, 2] },
  ...{ 34: [256, 54], 35: [256, 66], 39: [32, 17] },
};

/** Null where the header itself is damaged or cut off. For a file that `checkGguf` took. */
export function promisedBytes(path: string): number | null {
  const file = openSync(path, "r");
  try {
    return measure(readerOf(file));
  } catch (thrown) {
    if (thrown instanceof DamagedHeader) return null;
    throw thrown;
  } finally {
    closeSync(file);
  }
}

class DamagedHeader extends Error {}

function measure(reader: Reader): number {
  reader.skip(8);
  const tensors = reader.u64();
  const entries = reader.u64();
  let alignment = usualAlignment;
  for (let left = entries; left > 0; left--) {
    const key = reader.text();
    const kind = reader.u32();
    if (key === "general.alignment" && kind === u32Kind) alignment = reader.u32();
    else skipValue(reader, kind);
  }
  let end = 0;
  for (let left = tensors; left > 0; left--) {
    reader.skip(reader.u64());
    const dimensions = reader.u32();
    if (dimensions > mostDimensions) throw new DamagedHeader();
    let numbers = 1;
    for (let dimension = 0; dimension < dimensions; dimension++) numbers *= reader.u64();
    const [perBlock, blockBytes] = blocks[reader.u32()] ?? [1, 0];
    end = Math.max(end, reader.u64() + (numbers / perBlock) * blockBytes);
  }
  if (alignment === 0) throw new DamagedHeader();
  return Math.ceil(reader.at() / alignment) * alignment + end;
}

function skipValue(reader: Reader, kind: number): void {
  if (kind === arrayKind) skipPlain(reader, reader.u32(), reader.u64());
  else skipPlain(reader, kind, 1);
}

function skipPlain(reader: Reader, kind: number, count: number): void {
  if (kind === stringKind) {
    for (let left = count; left > 0; left--) reader.skip(reader.u64());
    return;
  }
  const bytes = valueBytes[kind] ?? 0;
  if (bytes === 0) throw new DamagedHeader();
  reader.skip(count * bytes);
}

interface Reader {
  at(): number;
  u32(): number;
  u64(): number;
  text(): string;
  skip(bytes: number): void;
}

/** Reads a header in pieces: it may have megabytes of words. */
function readerOf(file: number): Reader {
  const { size } = fstatSync(file);
  const window = Buffer.alloc(windowBytes);
  let start = 0;
  let filled = 0;
  let at = 0;
  /** Where in the window the next so many bytes are. */
  const take = (bytes: number): number => {
    if (at + bytes > size || bytes > windowBytes) throw new DamagedHeader();
    if (at < start || at + bytes > start + filled) {
      start = at;
      filled = readSync(file, window, 0, windowBytes, at);
      if (filled < bytes) throw new DamagedHeader();
    }
    at += bytes;
    return at - bytes - start;
  };
  const u64 = () => Number(window.readBigUInt64LE(take(8)));
  return {
    at: () => at,
    u32: () => window.readUInt32LE(take(4)),
    u64,
    text: () => {
      const bytes = u64();
      const from = take(bytes);
      return window.toString("utf8", from, from + bytes);
    },
    skip: (bytes) => {
      if (at + bytes > size) throw new DamagedHeader();
      at += bytes;
    },
  };
}
