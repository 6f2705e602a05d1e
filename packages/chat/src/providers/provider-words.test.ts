import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { safeWords } from "./provider-words.ts";

describe("§7 a provider's words", () => {
  test("§7 no half of a secret is left where a long text is cut", () => {
    for (const before of [19_990, 299, 290]) {
      const words = safeWords(`${" ".repeat(before)}x hidden-word`, ["hidden-word"]);
      expect(words).not.toContain("hid");
    }
  });

  test.each([
    "sk-proj-abc123DEF456",
    "sk-ab***********wxyz",
    "sk-ant-api03-xyz_123",
    "AIzaSyA1234567890abcdefg",
    "gsk_abcdef123456",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
  ])("§7 %s does not pass", (key) => {
    for (const words of [
      `Incorrect API key provided: ${key}.`,
      `"x-api-key": "${key}"`,
      `Bearer ${key}`,
      `url?key=${key}&a=1`,
    ]) {
      const safe = safeWords(words, []);
      expect(safe).toContain("[key]");
      expect(safe).not.toContain(key.slice(4, 12));
    }
  });

  test("§7 headers and bearer tokens of no known shape do not pass", () => {
    expect(safeWords("Authorization: Bearer q1w2e3 rest", [])).not.toContain("q1w2e3");
    expect(safeWords("x-api-key: q1w2e3", [])).toBe("x-api-key: [key]");
    expect(safeWords('{"x-goog-api-key":"q1w2e3"}', [])).not.toContain("q1w2e3");
  });

  test("§7 a password in a URL does not pass, nor a key with something invisible in it", () => {
    expect(safeWords("at http://me:pass@host/v1", [])).toBe("at http://[key]@host/v1");
    expect(safeWords("q1w2\u200be3r4", ["q1w2e3r4"])).toBe("[key]");
    expect(safeWords("of two  words", ["two  words"])).toBe("of [key]");
  });

  test("§7 no secret passes, wherever it stands, also at the cut", () => {
    const secret = fc
      .string({ minLength: 6, maxLength: 40, unit: "grapheme-ascii" })
      .filter((s) => s.trim() === s && !"…[key]".includes(s));
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), secret, fc.string({ maxLength: 400 }), (before, key, after) => {
        const safe = safeWords(`${before}${key}${after}`, [key]);
        return !safe.includes(key) && !/[\u0000-\u001f\u007f-\u009f\u202e]/.test(safe) && [...safe].length <= 301;
      }),
    );
  });

  test("§7 of secrets that begin alike all go whole, also as they stand in a URL; what is too short to be one stays", () => {
    expect(safeWords("abcdefgh abcd", ["abcd", "abcdefgh"])).toBe("[key] [key]");
    expect(safeWords("at ?x=a%2Fb%20c", ["a/b c"])).toBe("at ?x=[key]");
    expect(safeWords("this was it", ["", "it", "was"])).toBe("this was it");
  });

  test("§7 control, bidi and escape sequences are gone, code points whole", () => {
    expect(safeWords("a\u001b[2J\u001b]0;title\u0007b\u202ec\u2028d\u0085e", [])).toBe("a bc d e");
    expect(safeWords("🐧".repeat(301), [])).toBe(`${"🐧".repeat(300)}…`);
  });
});
