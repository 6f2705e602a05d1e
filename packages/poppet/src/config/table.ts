/**
 * Every setting of the file, as data: its place, what is allowed and how that is checked. What loading checks, what an
 * error says, what `config show` lists and what docs/configuration.md holds all come from here. It is a table and not a
 * schema library's value because it is read at every start, where an import of one costs more than the rest of it.
 */
import { type defaultChat, type defaultLimits, isApiKey, providerNames } from "../settings.ts";

export interface Rule {
  readonly kind: "value";
  /** Completes "must be …". */
  readonly allowed: string;
  readonly check: (value: unknown) => boolean;
  readonly secret?: true;
  /** Of a list: whether an entry is right by itself. */
  readonly each?: (entry: unknown) => boolean;
  /** All there are, where they can be counted. */
  readonly values?: readonly string[];
}

export interface Table {
  readonly kind: "table";
  readonly keys: { readonly [key: string]: Rule | Table | Named };
}

/** A table whose keys the person chooses. */
export interface Named {
  readonly kind: "named";
  readonly allowed: string;
  readonly check: (key: string) => boolean;
  readonly each: Table;
}

const longestTimer = 2_147_483_647;

const flag: Rule = { kind: "value", allowed: "true or false", check: (value) => typeof value === "boolean" };
const milliseconds = whole(1, longestTimer, "milliseconds");
const address: Rule = {
  kind: "value",
  allowed: "an http or https URL without a name, password, query or fragment",
  check: isBaseUrl,
};
const apiKey: Rule = {
  kind: "value",
  allowed: "a key as the provider gave it: printable ASCII without spaces",
  check: (value) => typeof value === "string" && isApiKey(value),
  secret: true,
};

const remote: Table = table({ baseUrl: address, apiKey, requestMs: milliseconds });
const local: Table = table({ requestMs: milliseconds, threads: whole(1, 1024), gpu: oneOf(["auto", "off"]) });

export const modelRule: Rule = {
  kind: "value",
  allowed: "a model's name: 1 to 512 printable characters without spaces around",
  check: (value) => isPrintable(value) && [...value].length <= 512 && value.trim() === value,
};
export const providerRule: Rule = oneOf(providerNames);
export const toolBytesRule: Rule = whole(1024, 1_073_741_824, "bytes");

export const settingsTable: Table = table({
  provider: providerRule,
  model: modelRule,
  chat: table({ logReasoning: flag, markdown: flag, nameSessions: flag } satisfies {
    [Key in keyof typeof defaultChat]: Rule;
  }),
  limits: table({
    answerBytes: whole(1, 67_108_864, "bytes"),
    recordBytes: whole(1, 268_435_456, "bytes"),
    runMs: milliseconds,
    requestMs: milliseconds,
    steps: whole(1, 10_000),
    toolCalls: whole(0, 10_000),
    contextExchanges: whole(0, 100_000),
    contextBytes: whole(1, 268_435_456, "bytes"),
  } satisfies { [Key in keyof typeof defaultLimits]: Rule }),
  providers: table(Object.fromEntries(providerNames.map((name) => [name, name === "local" ? local : remote]))),
  models: {
    kind: "named",
    allowed: '"PROVIDER/MODEL", in quotes',
    check: (key) =>
      providerNames.some((name) => key.startsWith(`${name}/`) && modelRule.check(key.slice(name.length + 1))),
    each: table({
      contextWindow: whole(1, 1_000_000_000, "tokens"),
      maxOutputTokens: whole(1, 1_000_000_000, "tokens"),
      tools: flag,
    }),
  },
});

export function table(keys: Table["keys"]): Table {
  return { kind: "table", keys };
}

function whole(least: number, most: number, unit?: string): Rule {
  return {
    kind: "value",
    allowed: `a whole number${unit ? ` of ${unit}` : ""} from ${least} to ${most}`,
    check: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

function oneOf(values: readonly string[]): Rule {
  return {
    kind: "value",
    allowed: `one of ${values.map((value) => `"${value}"`).join(", ")}`,
    check: (value) => typeof value === "string" && values.includes(value),
    values,
  };
}

/** Nothing that would steer a terminal or hide itself: settings are shown, and named in errors. */
function isPrintable(value: unknown): value is string {
  return typeof value === "string" && /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u.test(value);
}

function isBaseUrl(value: unknown): boolean {
  if (!isPrintable(value) || /\s/.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return plain && (url.protocol === "http:" || url.protocol === "https:");
}
