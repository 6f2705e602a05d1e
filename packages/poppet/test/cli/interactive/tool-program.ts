/** The program with one tool, which works until it is stopped: today's assistant has none of its own. */
import { defineTool } from "@poppet/chat";
import * as v from "valibot";
import { version } from "../../../package.json" with { type: "json" };
import { runProgram } from "../../../src/cli/start.ts";
import { folderOf } from "../../../src/config/location.ts";
import { openLocal } from "../../../src/local.ts";
import { openModel } from "../../../src/models/registry.ts";
import { parts } from "../../../src/parts.ts";

const fetchPage = defineTool({
  name: "poppet_web.fetch_page",
  description: "Reads a page",
  input: v.object({ url: v.string() }),
  inputJsonSchema: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
  run(_input, { signal }) {
    // The timer keeps the process alive, as a connection would.
    const alive = setInterval(() => {}, 1_000);
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        clearInterval(alive);
        reject(signal.reason);
      });
    });
  },
});

process.umask(0o077);
const code = await runProgram({
  arguments: process.argv.slice(2),
  env: process.env,
  version,
  parts: {
    ...parts,
    openAssistant: ({ home, file, settings }, env) =>
      openLocal({
        ...{ home, settings, settingsFolder: folderOf(file) },
        models: {
          tools: [fetchPage],
          window: async () => null,
          open: ({ provider, model }, signal) =>
            openModel({ provider, model }, settings, { env, now: Date.now, modelsFolder: `${home}/models` }, signal),
        },
      }),
  },
});
process.exit(code);
