/**
 * Questions to the C library, asked directly because `node:tty` and `process.stdout` cost ten times as much at
 * start. Where the library is not found (`null`), the callers fall back or do without.
 */
import { dlopen, ptr } from "bun:ffi";

export interface Libc {
  isTerminal(descriptor: number): boolean;
  /** Columns of the terminal; 0 where it does not say. */
  columns(descriptor: number): number;
  /** Its lines, likewise. */
  rows(descriptor: number): number;
  /** The other end of a pipe or socket has gone. Never true of a file or a terminal that is there. */
  readerGone(descriptor: number): boolean;
}

const gone = 0x08 | 0x10 | 0x20; // POLLERR, POLLHUP, POLLNVAL
const windowSize = process.platform === "linux" ? 0x5413 : null; // TIOCGWINSZ; a variadic call elsewhere, so not asked

export function openLibc(): Libc | null {
  for (const name of process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so"]) {
    try {
      return bind(name);
    } catch {
      // the next name
    }
  }
  return null;
}

function bind(name: string): Libc {
  const { symbols } = dlopen(name, {
    isatty: { args: ["i32"], returns: "i32" },
    ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
    poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
  });
  const size = new Uint16Array(4);
  const polled = new Int32Array(2);
  function windowField(descriptor: number, field: 0 | 1): number {
    if (windowSize === null) return 0;
    size.fill(0);
    return symbols.ioctl(descriptor, windowSize, ptr(size)) === 0 ? (size[field] ?? 0) : 0;
  }
  return {
    isTerminal: (descriptor) => symbols.isatty(descriptor) === 1,
    columns: (descriptor) => windowField(descriptor, 1),
    rows: (descriptor) => windowField(descriptor, 0),
    readerGone(descriptor) {
      polled[0] = descriptor;
      polled[1] = 0;
      return symbols.poll(ptr(polled), 1, 0) === 1 && (((polled[1] ?? 0) >>> 16) & gone) !== 0;
    },
  };
}
