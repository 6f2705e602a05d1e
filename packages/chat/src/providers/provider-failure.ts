/**
 * What can be read off anything that an AI SDK model throws or emits as an error: status, headers, the provider's words
 * and its codes. By structure alone, as two copies of a package share no classes. Reads, and judges nothing.
 */

export interface Failure {
  /** `AI_APICallError`, `TypeError`; empty where there is none. */
  readonly name: string;
  readonly status: number | null;
  readonly headers: { readonly [name: string]: string };
  /** What the provider said, uncleaned. */
  readonly words: string;
  /** Every `type`, `code`, `status` and `reason` that came with it, and system error codes, in lower case. */
  readonly codes: readonly string[];
  /** Gemini's RetryInfo, in milliseconds. */
  readonly retryDelayMs: number | null;
}

type Fields = { readonly [key: string]: unknown };

export function readFailure(thrown: unknown): Failure {
  const chain = causes(thrown);
  const top = fieldsOf(chain[0]);
  const status = firstNumber(chain.map((one) => fieldsOf(one).statusCode));
  const body = bodyOf(top);
  const codes = new Set<string>();
  for (const one of chain) collectCodes(fieldsOf(one), codes);
  for (const one of body) collectCodes(one, codes);
  return {
    name: textOf(top.name),
    status: status ?? statusInBody(body),
    headers: headersOf(top.responseHeaders),
    words: wordsOf(thrown, chain, body),
    codes: [...codes],
    retryDelayMs: retryDelayOf(body),
  };
}

/** The thing itself, then what caused it, at most six deep. */
function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = thrown; one !== undefined && one !== null && chain.length < 6; one = fieldsOf(one).cause)
    chain.push(one);
  return chain.length === 0 ? [thrown] : chain;
}

/** The objects in which a provider puts its error: what was parsed, the raw body, and `error` and `response` in both. */
function bodyOf(top: Fields): readonly Fields[] {
  const found: Fields[] = [];
  const add = (value: unknown, depth: number): void => {
    const one: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof one !== "object" || one === null || depth > 3) return;
    const fields = one as Fields;
    found.push(fields);
    add(fields.error, depth + 1);
    add(fields.response, depth + 1);
    for (const detail of Array.isArray(fields.details) ? fields.details.slice(0, 8) : []) add(detail, depth + 1);
  };
  add(parsed(top.responseBody), 0);
  add(top.data, 0);
  if (!(top instanceof Error)) add(top, 0);
  return found;
}

function collectCodes(fields: Fields, codes: Set<string>): void {
  for (const key of ["type", "code", "status", "reason", "errno"]) {
    const value = fields[key];
    if (typeof value === "string" && value.length <= 100) codes.add(value.toLowerCase());
  }
}

function statusInBody(body: readonly Fields[]): number | null {
  const status = firstNumber(body.flatMap((one) => [one.code, one.status, one.statusCode]).map(Number));
  return status !== null && status >= 400 && status <= 599 ? status : null;
}

function wordsOf(thrown: unknown, chain: readonly unknown[], body: readonly Fields[]): string {
  if (typeof thrown === "string") return thrown;
  const said = body
    .map((one) => textOf(one.message) || textOf(one.detail) || textOf(one.error))
    .filter((one) => one !== "");
  const words = said.at(-1);
  if (words) return words;
  const raw = textOf(fieldsOf(thrown).responseBody).trim();
  if (raw.startsWith("<")) return /<title[^>]*>([^<]{1,300})/i.exec(raw)?.[1] ?? "";
  if (raw !== "" && !raw.startsWith("{") && !raw.startsWith("[")) return raw;
  // The deepest cause is what happened; the ones around it only say that something did.
  return chain.map((one) => textOf(fieldsOf(one).message)).findLast((one) => one !== "") ?? "";
}

function retryDelayOf(body: readonly Fields[]): number | null {
  for (const fields of body) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(fields.retryDelay))?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}

function headersOf(value: unknown): { readonly [name: string]: string } {
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(fieldsOf(value))) {
    if (typeof text === "string") headers[name.toLowerCase()] = text;
  }
  return headers;
}

function parsed(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function firstNumber(values: readonly unknown[]): number | null {
  return values.find((value): value is number => typeof value === "number" && Number.isFinite(value)) ?? null;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
