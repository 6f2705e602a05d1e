import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { commands } from "../../src/cli/commands.ts";
import { type Named, type Rule, settingsTable, type Table } from "../../src/config/table.ts";
import { providerFacts } from "../../src/models/providers.ts";
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

test("S0 docs/providers.md has every provider with its address and key variables, and docs/configuration.md those too", async () => {
  const rows = (await docs("providers.md")).split("\n");
  const settings = await docs("configuration.md");
  for (const [name, { baseUrl, keyVariables, patience }] of Object.entries(providerFacts)) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
    expect(row).toContain(baseUrl ?? "");
    expect([...row.matchAll(/`([A-Z_]+)`/g)].map((found) => found[1] ?? "")).toEqual([...keyVariables]);
    expect(row).toContain(patience === "run" ? "the run's, 300 s" : "60 s");
    for (const variable of keyVariables) expect(settings).toContain(`\`${variable}\``);
  }
});

test("S0 every link between the pages leads to a page and a heading that are there", async () => {
  const root = join(import.meta.dir, "../../../..");
  const pages = ["*.md", "{docs,examples}/**/*.md", "packages/*/README.md"].flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync(root),
  ]);
  expect(pages).toContain("README.md");
  const anchors = async (path: string) =>
    [...(await readFile(path, "utf8")).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
  const broken: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(root, page), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? join(root, page) : join(root, page, "..", file);
      if (!existsSync(path) || (anchor !== undefined && !(await anchors(path)).includes(anchor)))
        broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("S0 docs/architecture.md says of every dependency why it was taken", async () => {
  const root = join(import.meta.dir, "../../../..");
  const page = await docs("architecture.md");
  for (const path of ["package.json", "packages/chat/package.json", "packages/poppet/package.json"]) {
    const { dependencies = {}, devDependencies = {} } = await Bun.file(join(root, path)).json();
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      if (name !== "@poppet/chat") expect(page).toContain(`\`${name}\``);
    }
  }
});
