import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { commands } from "../../src/cli/commands.ts";
import { type Named, type Rule, settingsTable, type Table } from "../../src/config/table.ts";
import { defaultLimits } from "../../src/settings.ts";

/** The page, with the padding of its tables taken out. */
async function docs(name: string): Promise<string> {
  return (await readFile(join(import.meta.dir, "../../../../docs", name), "utf8")).replaceAll(/ +/g, " ");
}

function settingNames(shape: Table | Named | Rule, path: string): string[] {
  if (shape.kind === "value") return [path];
  if (shape.kind === "named") return settingNames(shape.each, `${path}."PROVIDER/MODEL"`);
  return Object.entries(shape.keys).flatMap(([key, inner]) =>
    settingNames(inner, path === "" ? key : `${path}.${key}`),
  );
}

test("S0 docs/configuration.md has every setting, and the limits' defaults", async () => {
  const page = await docs("configuration.md");
  for (const name of settingNames(settingsTable, "")) {
    const general = name.replace(/^providers\.[^.]+\.(baseUrl|apiKey|requestMs)$/, "providers.NAME.$1");
    expect(page).toContain(`| \`${general}\` |`);
  }
  for (const [key, value] of Object.entries(defaultLimits)) {
    expect(page).toMatch(new RegExp(`\\| \`limits\\.${key}\` \\| \\w+ \\| ${value} \\|`));
  }
});

type Route = ReturnType<typeof commands.getAllEntries>[number];

/** Every command with its words and its flags, written as people write them. */
function allCommands(entries: readonly Route[], before: string): { readonly name: string; readonly flags: string[] }[] {
  return entries.flatMap(({ name, target }) => {
    const words = `${before}${name.original}`;
    if ("getAllEntries" in target) return allCommands(target.getAllEntries(), `${words} `);
    const flags = Object.keys(target.parameters.flags ?? {});
    const kebab = flags.map((flag) => `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    return [{ name: words.replace(/ list$/, ""), flags: kebab }];
  });
}

test("S0 docs/cli.md has every command with every flag", async () => {
  const rows = (await docs("cli.md")).split("\n");
  for (const { name, flags } of allCommands(commands.getAllEntries(), "")) {
    const row = rows.find((line) => line.startsWith(`| \`${name}`)) ?? "";
    expect(row).toContain(name);
    for (const flag of flags) expect(row).toContain(flag);
  }
});
