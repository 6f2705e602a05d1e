/** Every setting of the table against what is not allowed, and a settings file broken at every place. */
import { describe, expect, test } from "bun:test";
import { PoppetError } from "../error.ts";
import { parseSettings } from "./load.ts";
import { modelRule, type Named, type Rule, settingsTable, type Table, toolBytesRule } from "./table.ts";

const file = "/settings/config.toml";

interface Setting {
  readonly path: readonly string[];
  readonly rule: Rule;
}

const modelName = "openai-compatible/my model";

function settingsOf(shape: Table | Named, path: readonly string[] = []): readonly Setting[] {
  if (shape.kind === "named") return settingsOf(shape.each, [...path, modelName]);
  return Object.entries(shape.keys).flatMap(([key, inner]) =>
    inner.kind === "value" ? [{ path: [...path, key], rule: inner }] : settingsOf(inner, [...path, key]),
  );
}

const settings = settingsOf(settingsTable);

/** A file that sets only this, on its third line. */
function fileWith(path: readonly string[], key: string, value: string): string {
  const table = path.slice(0, -1).map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part)));
  return `# mine\n${table.length > 0 ? `[${table.join(".")}]` : ""}\n${key} = ${value}\n`;
}

async function refusal(text: string): Promise<string | null> {
  try {
    await parseSettings({ file, text });
    return null;
  } catch (thrown) {
    if (!PoppetError.isInstance(thrown)) throw thrown;
    expect(thrown.code).toBe("config_invalid");
    return thrown.message;
  }
}

const shown = (path: readonly string[]) =>
  path.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join(".");

/** Values of every type of TOML, as text and as the parser gives them. */
const values: readonly (readonly [text: string, value: unknown])[] = [
  ['""', ""],
  ['" x"', " x"],
  ['"a\\tb"', "a\tb"],
  ['"marker-of-a-value"', "marker-of-a-value"],
  ["true", true],
  ["0", 0],
  ["-1", -1],
  ["1.5", 1.5],
  ["inf", Number.POSITIVE_INFINITY],
  ["nan", Number.NaN],
  ["9007199254740993", 9_007_199_254_740_992],
  ["[1]", [1]],
  ["[]", []],
  ["{ x = 1 }", { x: 1 }],
  ["1979-05-27T07:32:00Z", new Date(0)],
];

describe("S0 every setting", () => {
  test("there are settings to test", () => {
    expect(settings.length).toBeGreaterThan(20);
  });

  for (const { path, rule } of settings) {
    const key = path.at(-1) ?? "";
    test(`${shown(path)}: a value of a wrong type names the line, the key and what is allowed, never the value`, async () => {
      let refused = 0;
      for (const [text, value] of values) {
        if (rule.check(value)) continue;
        refused++;
        const message = (await refusal(fileWith(path, key, text))) ?? "accepted";
        expect(message).toBe(`${file}:3: ${shown(path)} must be ${rule.allowed}`);
      }
      expect(refused).toBeGreaterThan(7);
    });

    test(`${shown(path)}: a typo names the right spelling`, async () => {
      const swapped = `${key.slice(0, 1)}${key.slice(2, 3)}${key.slice(1, 2)}${key.slice(3)}`;
      for (const typo of new Set([swapped, `${key}x`, key.slice(0, -1)])) {
        if (typo === key) continue;
        const message = (await refusal(fileWith(path, typo, '"marker-of-a-value"'))) ?? "accepted";
        expect(message).toStartWith(`${file}:3: ${shown([...path.slice(0, -1), typo])} is no setting`);
        expect(message).toEndWith(`; did you mean "${key}"?`);
      }
    });
  }

  const ranged = [...settings, { path: ["POPPET_TOOL_BYTES"], rule: toolBytesRule }].flatMap(({ path, rule }) => {
    const range = /from (\d+) to (\d+)$/.exec(rule.allowed);
    return range ? [{ path, rule, least: Number(range[1]), most: Number(range[2]) }] : [];
  });

  test.each(ranged.map((one) => [shown(one.path), one] as const))("%s: the range is inclusive", (_, one) => {
    const { rule, least, most } = one;
    expect([least, most].map(rule.check)).toEqual([true, true]);
    expect([least - 1, most + 1, least + 0.5, -least - 1, String(least)].map(rule.check)).not.toContain(true);
  });

  test("a model's name is measured in whole characters", () => {
    for (const character of ["x", "é", "😀", "e\u0301"]) {
      const long = [...character.repeat(512)].slice(0, 512).join("");
      expect([modelRule.check(long), modelRule.check(`${long}${character}`)]).toEqual([true, false]);
    }
  });

  test("§7 nothing that steers a terminal or hides itself is a value", async () => {
    for (const odd of [
      "\0",
      "\u001b[31m",
      "\u009b2J",
      "\n",
      "\t",
      "\x7f",
      "\u202e",
      "\u2066",
      "\u200b",
      "\u2028",
      "\ud83d",
    ]) {
      for (const { path, rule } of settings) {
        expect([path, odd, rule.check(`https://x/${odd}y`)]).toEqual([path, odd, false]);
        expect([path, odd, rule.check(`x${odd}y`)]).toEqual([path, odd, false]);
      }
      const name = JSON.stringify(`openai/x${odd}y`);
      if (odd.isWellFormed()) {
        const message = await refusal(`[models.${name}]\ntools = true\n`);
        expect(message).toContain(odd === "\x7f" ? "not valid TOML" : "is no setting: a name here is");
        expect(message).not.toContain("\n");
      }
    }
    for (const fine of [" a", "a ", ""]) expect(modelRule.check(fine)).toBe(false);
  });
});

describe("S0 a settings file that is broken", () => {
  const secret = "sk-Qz7WvX2kLpR9";
  const sample = `# Poppet's settings
provider = "openai" # why
model = 'gpt-5'

[chat]
logReasoning = true

[limits]
steps = 20
runMs = 300_000

[providers.openai]
apiKey = "${secret}"
baseUrl = "https://example.org/v1"

[models."openai/gpt-5"]
contextWindow = 400_000
tools = true
`;
  const lines = sample.split("\n").slice(0, -1);
  const pieces = Array.from({ length: secret.length - 3 - 4 }, (_, i) => secret.slice(i + 3, i + 8));

  async function check(text: string): Promise<string | null> {
    const message = await refusal(text);
    if (message === null) return null;
    expect(message).toStartWith(file);
    expect(message).not.toMatch(/[\n\r]/);
    const leaked = pieces.filter((piece) => message.includes(piece));
    expect([message, leaked]).toEqual([message, []]);
    return message;
  }

  test("the sample itself is right", async () => {
    expect(await refusal(sample)).toBeNull();
  });

  test("cut at every character", async () => {
    let refused = 0;
    for (let at = 0; at < sample.length; at++) if ((await check(sample.slice(0, at))) !== null) refused++;
    expect(refused).toBeGreaterThan(150);
  });

  test.each(lines.map((line, i) => [i + 1, line] as const).filter(([, line]) => /[[=]/.test(line)))(
    "line %d, %s: twice is refused",
    async (number) => {
      const twice = lines.toSpliced(number, 0, lines[number - 1] ?? "").join("\n");
      expect(await check(twice)).toContain("not valid TOML");
    },
  );

  test.each(['"', "'", '"""', "'''", "[", "]", "=", "{", "\\", "\0", "\u001b[31m", "é", "#", "\n", "x = ", ", ", "."])(
    "%j put in at every place",
    async (garbage) => {
      let refused = 0;
      for (let at = 0; at <= sample.length; at++) {
        if ((await check(sample.slice(0, at) + garbage + sample.slice(at))) !== null) refused++;
      }
      expect(refused).toBeGreaterThan(20);
    },
  );

  test("without any one character, or any one line", async () => {
    for (let at = 0; at < sample.length; at++) await check(sample.slice(0, at) + sample.slice(at + 1));
    for (const i of lines.keys()) await check(lines.toSpliced(i, 1).join("\n"));
  });

  test("saved by another editor, or with names that JavaScript knows: read, or refused like any other", async () => {
    expect(await refusal(sample.replaceAll("\n", "\r\n"))).toBeNull();
    expect(await refusal(sample.replaceAll("\n", "\r"))).toContain("not valid TOML");
    expect(await refusal(sample.split("").join("\0"))).toContain("not valid TOML");
    expect(await refusal(`x = ${"[".repeat(100_000)}`)).toBe(`${file}: not valid TOML: it is nested too deeply`);
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      for (const text of [
        `${name} = 1`,
        `[${name}]\nx = 1`,
        `[limits]\n${name} = 1`,
        `[models.${name}]\ntools = true`,
      ]) {
        expect([text, await refusal(text)]).toEqual([text, expect.stringContaining(`${name} is no setting`)]);
      }
    }
  });

  test("the line named is the one that is wrong", async () => {
    for (const [i, line] of lines.entries()) {
      if (!line.includes("=")) continue;
      const broken = lines.with(i, line.replace("=", "= ="));
      expect(await check(broken.join("\n"))).toStartWith(`${file}:${i + 1}: not valid TOML`);
    }
  });
});
