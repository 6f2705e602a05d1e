/**
 * What a terminal sends, as keys. The result does not depend on how the bytes were split, except that an escape at the
 * end of what came may be the key itself: `pending` says so, and `flush` takes it as one. What means nothing is no key.
 */
export type Key =
  /** What was pasted is one key, with all of its lines. */
  { readonly name: "text" | "paste"; readonly text: string } | { readonly name: KeyName };

export type KeyName =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "backspace"
  | "delete"
  | "delete-word"
  | "delete-word-left"
  | "delete-word-right"
  | "delete-end"
  | "delete-line"
  | "yank"
  | "enter"
  | "escape"
  | "tab"
  | "search"
  | "cancel"
  | "redraw"
  | "end-of-input"
  | "suspend";

export interface KeyDecoder {
  push(bytes: Uint8Array): readonly Key[];
  readonly pending: boolean;
  flush(): readonly Key[];
}

const controls: { readonly [character: string]: KeyName } = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x01": "home",
  "\x02": "left",
  "\x04": "end-of-input",
  "\x05": "end",
  "\x06": "right",
  "\x07": "cancel",
  "\x08": "backspace",
  "\x0b": "delete-end",
  "\x0c": "redraw",
  "\x0e": "down",
  "\x10": "up",
  "\x12": "search",
  "\x15": "delete-line",
  "\x17": "delete-word",
  "\x19": "yank",
  "\x1a": "suspend",
  "\x7f": "backspace",
};

/** After an escape: with Alt. */
const metas: { readonly [character: string]: KeyName } = {
  b: "word-left",
  f: "word-right",
  d: "delete-word-right",
  "\x7f": "delete-word-left",
  "\x08": "delete-word-left",
};

/** By the last letter of a CSI or SS3 sequence. */
const letters: { readonly [letter: string]: KeyName } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
};

/** By the number in `CSI n ~`. */
const numbers: { readonly [number: string]: KeyName } = {
  "1": "home",
  "7": "home",
  "4": "end",
  "8": "end",
  "3": "delete",
  "5": "page-up",
  "6": "page-down",
};

/** With Ctrl or Alt. */
const byWord: { readonly [Name in KeyName]?: KeyName } = {
  left: "word-left",
  right: "word-right",
  delete: "delete-word-right",
};

const pasteEnd = "\x1b[201~";
/** A whole sequence: CSI, SS3, or one character with Alt; an escape before it is Alt too. */
const sequence = /^\x1b(\x1b?)(?:\[([0-?]{0,24})[ -/]{0,4}([@-~])|O([ -~])|([^[O\x1b]))/;
/** The beginning of one. No key's is longer than this allows. */
const beginning = /^\x1b\x1b?(?:\[[0-?]{0,24}[ -/]{0,4}|O)?/;

export function openKeys(): KeyDecoder {
  const decoder = new TextDecoder();
  let rest = "";
  let pasting = false;

  function take(last: boolean): readonly Key[] {
    const keys: Key[] = [];
    while (rest !== "") {
      const length = pasting ? takePaste(keys) : takeKey(keys, last);
      if (length === 0) break;
      rest = rest.slice(length);
    }
    return keys;
  }

  function takePaste(keys: Key[]): number {
    const end = rest.indexOf(pasteEnd);
    if (end < 0) return 0;
    pasting = false;
    keys.push({ name: "paste", text: rest.slice(0, end) });
    return end + pasteEnd.length;
  }

  function takeKey(keys: Key[], last: boolean): number {
    const text = /^[^\x00-\x1f\x7f-\x9f]+/.exec(rest)?.[0];
    if (text !== undefined) {
      keys.push({ name: "text", text });
      return text.length;
    }
    if (rest[0] !== "\x1b") {
      give(keys, controls[rest[0] ?? ""]);
      return 1;
    }
    const begun = beginning.exec(rest)?.[0] ?? rest;
    const found = sequence.exec(rest);
    if (found === null) {
      if (begun === rest && !last) return 0;
      const alone = /^\x1b+$/.test(begun);
      if (alone) keys.push({ name: "escape" });
      // Two escapes that begin nothing together: the second may begin something. What is broken off is no key.
      return alone && begun !== rest ? 1 : begun.length;
    }
    const [whole, alt, parameters = "", letter, single, meta] = found;
    if (letter === "~" && parameters === "200") pasting = true;
    else if (meta !== undefined) give(keys, metas[meta]);
    else give(keys, named(parameters, letter ?? single ?? "", alt !== ""));
    return whole.length;
  }

  return {
    push(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      return take(false);
    },
    get pending() {
      return !pasting && rest !== "";
    },
    flush: () => (pasting ? [] : take(true)),
  };
}

function give(keys: Key[], name: KeyName | undefined): void {
  if (name !== undefined) keys.push({ name });
}

function named(parameters: string, letter: string, alt: boolean): KeyName | undefined {
  const [number = "", modifier = ""] = parameters.split(";");
  const name = letter === "~" ? numbers[number] : letters[letter];
  // 2 is Shift.
  const modified = alt || (modifier !== "" && modifier !== "1" && modifier !== "2");
  return name !== undefined && modified ? (byWord[name] ?? name) : name;
}
