/**
 * What a terminal sends, as keys. The keys do not depend on how the bytes were split: an escape sequence that is not
 * whole waits for its rest, until `flush` says that nothing follows. What was pasted (bracketed paste) is one key.
 */
export type Key = { readonly name: "text" | "paste"; readonly text: string } | { readonly name: KeyName };

export type KeyName =
  | "enter"
  | "up"
  | "down"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "backspace"
  | "delete-word"
  | "delete-line"
  | "escape"
  | "interrupt"
  | "end-of-input"
  | "suspend"
  | "other";

export interface KeyReader {
  push(text: string): readonly Key[];
  /** Nothing more came: an escape that waited was the key itself. */
  flush(): readonly Key[];
  /** Something waits for its rest. */
  waiting(): boolean;
}

const controls: { readonly [character: string]: KeyName } = {
  "\x01": "home",
  "\x03": "interrupt",
  "\x04": "end-of-input",
  "\x05": "end",
  "\x08": "backspace",
  "\x0a": "enter",
  "\x0d": "enter",
  "\x0e": "down",
  "\x10": "up",
  "\x15": "delete-line",
  "\x17": "delete-word",
  "\x1a": "suspend",
  "\x7f": "backspace",
};

const sequences: { readonly [sequence: string]: KeyName } = {
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[5~": "page-up",
  "\x1b[6~": "page-down",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOH": "home",
  "\x1bOF": "end",
};

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
/** More than any key's sequence has; a longer one is none. */
const longestSequence = 32;

export function openKeyReader(): KeyReader {
  let rest = "";

  function* read(): Generator<Key> {
    while (rest !== "") {
      const length = keyLength(rest);
      if (length === null) return;
      const taken = rest.slice(0, length);
      rest = rest.slice(length);
      yield keyOf(taken);
    }
  }

  return {
    push(text) {
      rest += text;
      return [...read()];
    },
    flush() {
      const left = rest;
      rest = "";
      if (left === "") return [];
      return left.startsWith(pasteStart) ? [keyOf(left)] : [{ name: left === "\x1b" ? "escape" : "other" }];
    },
    waiting: () => rest !== "",
  };
}

/** Of the first key; null where its end has not come. */
function keyLength(text: string): number | null {
  if (text.startsWith(pasteStart)) {
    const end = text.indexOf(pasteEnd);
    return end < 0 ? null : end + pasteEnd.length;
  }
  if (!text.startsWith("\x1b")) {
    return /^[^\x00-\x1f\x7f-\x9f]+/.exec(text)?.[0].length ?? 1;
  }
  const begun = /^\x1b(?:\[[0-?]*[ -/]*|O)?/.exec(text)?.[0].length ?? 1;
  if (begun > longestSequence) return longestSequence;
  if (begun === text.length) return null;
  const last = text.codePointAt(begun) ?? 0;
  // A second Esc, or a control character, begins a key of its own.
  if (last < 0x20 || last > 0x7e) return begun;
  return begun + 1;
}

function keyOf(taken: string): Key {
  if (taken.startsWith(pasteStart)) {
    return { name: "paste", text: taken.slice(pasteStart.length).replace(/\x1b\[201~$/, "") };
  }
  if (taken.startsWith("\x1b")) return { name: taken === "\x1b" ? "escape" : (sequences[taken] ?? "other") };
  const control = controls[taken];
  if (control !== undefined) return { name: control };
  return /^[\x00-\x1f\x7f-\x9f]/.test(taken) ? { name: "other" } : { name: "text", text: taken };
}
