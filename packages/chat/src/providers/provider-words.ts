/**
 * A provider's own words, fit for an error message: one line, short, no control characters, no key, no advice for
 * programmers. Secrets go before the cut, so that no half of one is left at its end.
 */
import { cutCodePoints } from "../text.ts";

const keyPatterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[^\s"',}]+/gi, "$1 [key]"],
  [
    /\b(x-api-key|x-goog-api-key|api[-_ ]?key|authorization|access[-_]?token)(["']?\s*[:=]\s*["']?)[^\s"',}]+/gi,
    "$1$2[key]",
  ],
  [/([?&](?:key|api_key|apikey|token|access_token)=)[^&\s"']+/gi, "$1[key]"],
  [/(\/\/)[^/@\s]+@/g, "$1[key]@"],
  // OpenAI repeats a wrong key with its middle starred out; that is too much of it still.
  [/\b(?:sk|pk|rk|gsk|xai|hf|nvapi|pplx|fw|csk|r8|tgp)[-_][A-Za-z0-9_*.-]{4,}/g, "[key]"],
  [/\bAIza[A-Za-z0-9_*-]{4,}/g, "[key]"],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]+/g, "[key]"],
];

/** What Bun's `fetch` adds for whoever wrote the program. */
const advice =
  / ?(For more information, pass `verbose: true`[^.]*?fetch\(\)\.?|Is the computer able to access the url\?)/gi;

/** A provider's words in at most `limit` code points, without the secrets. */
export function safeWords(text: string, secrets: readonly string[], limit = 300): string {
  // Before the cleaning, which may change a secret, and after it, which may put one together.
  let words = withoutSecrets(secrets, text)
    .slice(0, 20_000)
    .replace(/\u001b\[[0-9;:?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, " ")
    // Joiners are part of writing; the other format characters turn text round or hide it.
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, " ")
    .replace(advice, "")
    .trim();
  words = withoutSecrets(secrets, words);
  for (const [pattern, replacement] of keyPatterns) words = words.replace(pattern, replacement);
  const cut = cutCodePoints(words, limit);
  return cut.length < words.length ? `${cut}…` : cut;
}

/** In capitals or small letters alike: a host's name, for one, comes in small ones. */
export function withoutSecrets(secrets: readonly string[], text: string): string {
  let rest = text;
  // Longest first: one secret may begin with another.
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (secret.length < 4) continue;
    for (const form of new Set([secret, encodeURIComponent(secret.toWellFormed())])) {
      rest = rest.replace(new RegExp(literal(form), "gi"), "[key]");
    }
  }
  return rest;
}

/** `RegExp.escape`, which Node has only since 24. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
