/**
 * How the terminal treats keys, asked of the C library: each is sent as it is pressed and not shown, and pasted text is
 * marked. Ctrl-C stays a signal, and output is treated as ever. Ctrl-Z is a key: as a signal it would stop a parent
 * (`bun run`) and hand the terminal to the shell before we could give it back. How it was before comes back at the end
 * of the process, however it ends.
 */
import { dlopen, ptr } from "bun:ffi";

export interface Modes {
  /** Also again, after another program had the terminal. */
  take(): void;
  giveBack(): void;
}

export interface ModeOptions {
  /** Where to ask for them; null for a terminal that takes no sequences. */
  readonly pasteMarks: 1 | 2 | null;
}

/** Termios by the system: the size of a flag field, ISIG among the local flags, the place of Ctrl-Z and what it is off by. */
const linux = { flagBytes: 4, signals: 0x1, suspend: 17 + 10, none: 0 } as const;
const mac = { flagBytes: 8, signals: 0x80, suspend: 32 + 10, none: 0xff } as const;

const marks = { on: "\x1b[?2004h", off: "\x1b[?2004l" } as const;

/** Null where the C library is not found, or the terminal does not say. */
export function openModes(options: ModeOptions): Modes | null {
  const { flagBytes, signals, suspend, none } = process.platform === "darwin" ? mac : linux;
  const libc = openTermios();
  if (libc === null) return null;
  const before = new Uint8Array(256);
  if (libc.tcgetattr(0, ptr(before)) !== 0) return null;
  const raw = before.slice();
  libc.cfmakeraw(ptr(raw));
  raw.set(before.subarray(flagBytes, 2 * flagBytes), flagBytes);
  const local = 3 * flagBytes;
  raw[local] = (raw[local] ?? 0) | signals;
  raw[suspend] = none;
  let taken = false;

  function set(how: Uint8Array, sequence: string): void {
    libc?.tcsetattr(0, 0, ptr(how));
    if (options.pasteMarks === null) return;
    const bytes = new TextEncoder().encode(sequence);
    libc?.write(options.pasteMarks, ptr(bytes), bytes.length);
  }

  function giveBack(): void {
    if (!taken) return;
    taken = false;
    set(before, marks.off);
  }

  process.on("exit", giveBack);
  return {
    take() {
      taken = true;
      set(raw, marks.on);
    },
    giveBack,
  };
}

function openTermios() {
  for (const name of process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so"]) {
    try {
      return dlopen(name, {
        tcgetattr: { args: ["i32", "ptr"], returns: "i32" },
        tcsetattr: { args: ["i32", "i32", "ptr"], returns: "i32" },
        cfmakeraw: { args: ["ptr"], returns: "void" },
        write: { args: ["i32", "ptr", "u64"], returns: "i64" },
      }).symbols;
    } catch {
      // the next name
    }
  }
  return null;
}
