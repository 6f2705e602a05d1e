/**
 * When a provider says that it will answer again, in Unix milliseconds; null where it does not say. Reads the headers
 * that are in use: `retry-after` (seconds or a date), `retry-after-ms`, and those of OpenAI and Anthropic about limits.
 */
const longest = 8 * 24 * 3_600_000;

export function retryAt(
  headers: { readonly [name: string]: string },
  delayMs: number | null,
  now: number,
): number | null {
  const at = named(headers, now) ?? (delayMs === null ? null : now + delayMs) ?? spentLimit(headers, now);
  if (at === null || !Number.isFinite(at) || at > now + longest) return null;
  return Math.max(Math.ceil(at), now);
}

function named(headers: { readonly [name: string]: string }, now: number): number | null {
  const ms = number(headers["retry-after-ms"]);
  if (ms !== null) return now + ms;
  const after = headers["retry-after"];
  if (after === undefined) return null;
  const seconds = number(after);
  return seconds === null ? time(after) : now + seconds * 1000;
}

/** Of the limits with nothing left, the latest reset; with no word on what is left, the latest of all. */
function spentLimit(headers: { readonly [name: string]: string }, now: number): number | null {
  const resets: { at: number; spent: boolean }[] = [];
  for (const [name, text] of Object.entries(headers)) {
    const openai = /^x-ratelimit-reset(.*)$/.exec(name);
    const anthropic = /^anthropic-ratelimit-(.+)-reset$/.exec(name);
    if (!openai && !anthropic) continue;
    const at = anthropic ? time(text) : resetTime(text, now);
    if (at === null) continue;
    const left = openai
      ? headers[`x-ratelimit-remaining${openai[1]}`]
      : headers[`anthropic-ratelimit-${anthropic?.[1]}-remaining`];
    resets.push({ at, spent: left !== undefined && Number(left) <= 0 });
  }
  const spent = resets.filter((reset) => reset.spent);
  const told = (spent.length > 0 ? spent : resets).map((reset) => reset.at);
  return told.length === 0 ? null : Math.max(...told);
}

/** `1s`, `6m0s`, `20ms`; a bare number is seconds, or a Unix time in seconds or milliseconds. */
function resetTime(text: string, now: number): number | null {
  const bare = number(text);
  if (bare !== null) return bare > 1e12 ? bare : bare > 1e9 ? bare * 1000 : now + bare * 1000;
  const units: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text.trim()) return time(text);
  return now + parts.reduce((sum, part) => sum + Number(part[1]) * (units[part[2] ?? ""] ?? 0), 0);
}

function number(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function time(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
