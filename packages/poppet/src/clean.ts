/**
 * Takes out of text what would steer a terminal: escape sequences (CSI, OSC, DCS, APC, PM, SOS, in 7 or 8 bits), control
 * characters except newline and tab, and bidi embeddings, overrides and isolates. The result does not depend on how the
 * text was split, no memory grows, and each character is looked at once.
 */

/** Text that arrives in pieces. What `end` returns was held back because its other half never came. */
export interface TextStream {
  push(delta: string): string;
  end(): string;
}

type State = "text" | "escape" | "intermediate" | "csi" | "string";

const harmless = /^[^\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$/;

/** For a terminal. A string sequence that is never closed ends with its line, so that it cannot swallow the answer. */
export function openCleaner(): TextStream {
  const whole = openWhole();
  let state: State = "text";

  function clean(text: string): string {
    if (state === "text" && harmless.test(text)) return text;
    let kept = "";
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const keep = step(text.charCodeAt(i));
      if (keep) continue;
      if (i > from) kept += text.slice(from, i);
      from = i + 1;
    }
    return kept + text.slice(from);
  }

  /** Moves on by one code unit; true where it is text to keep. */
  function step(unit: number): boolean {
    if (state === "escape") return afterEscape(unit);
    if (state === "intermediate" && unit >= 0x20 && unit <= 0x7e) {
      if (unit >= 0x30) state = "text";
      return false;
    }
    if (state === "csi" && unit >= 0x20 && unit <= 0x7e) {
      if (unit >= 0x40) state = "text";
      return false;
    }
    if (state === "string" && !endsString(unit)) return false;
    state = "text";
    return plain(unit);
  }

  function afterEscape(unit: number): boolean {
    state = "text";
    if (unit < 0x20 || unit > 0x7e) return plain(unit);
    if (unit === 0x5b) state = "csi";
    else if (unit === 0x5d || unit === 0x50 || unit === 0x58 || unit === 0x5e || unit === 0x5f) state = "string";
    else if (unit < 0x30) state = "intermediate";
    return false;
  }

  function plain(unit: number): boolean {
    if (unit === 0x1b) state = "escape";
    else if (unit === 0x9b) state = "csi";
    else if (unit === 0x9d || unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f) state = "string";
    return isText(unit);
  }

  return {
    push: (delta) => clean(whole.push(delta)),
    end() {
      const rest = clean(whole.end());
      state = "text";
      return rest;
    },
  };
}

/** For a pipe or a file: the same bytes, with code points whole although they were split over two deltas. */
export function openWhole(): TextStream {
  let half = "";
  return {
    push(delta) {
      const text = half + delta;
      const last = text.charCodeAt(text.length - 1);
      if (last < 0xd800 || last > 0xdbff || Number.isNaN(last)) {
        half = "";
        return text;
      }
      half = text.slice(-1);
      return text.slice(0, -1);
    },
    end() {
      const rest = half;
      half = "";
      return rest;
    },
  };
}

export function cleanText(text: string): string {
  const cleaner = openCleaner();
  return cleaner.push(text) + cleaner.end();
}

/** For a field of one line: a title, an error, an ID. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/[\n\t\u2028\u2029]+/g, " ")
    .trim();
}

/** For JSON on a terminal: the same value, with what would steer the terminal written as \u escapes. */
export function cleanJson(json: string): string {
  return json.replaceAll(
    /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function endsString(unit: number): boolean {
  // BEL, newline, CAN, SUB, ESC (its "\" is then taken as the escape's end), the 8-bit ST
  return unit === 0x07 || unit === 0x0a || unit === 0x18 || unit === 0x1a || unit === 0x1b || unit === 0x9c;
}

function isText(unit: number): boolean {
  if (unit < 0x20) return unit === 0x0a || unit === 0x09;
  if (unit < 0x7f) return true;
  if (unit < 0xa0) return false;
  return unit < 0x202a || unit > 0x2069 || (unit > 0x202e && unit < 0x2066);
}
