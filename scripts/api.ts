/**
 * Writes the library's API reference from its docstrings into `packages/chat/api/`. What is exported and not documented,
 * a type that is used and not exported, and a link that leads nowhere are errors.
 */
import { resolve } from "node:path";
import chat from "../packages/chat/package.json" with { type: "json" };

const library = resolve(import.meta.dir, "../packages/chat");
const entries = Object.values(chat.exports).flatMap((file) => ["--entryPoints", resolve(library, file)]);

const run = Bun.spawnSync(
  [
    "node",
    resolve(library, "../../node_modules/typedoc/bin/typedoc"),
    ...entries,
    ...["--name", chat.name, "--out", `${library}/api`, "--readme", "none"],
    ...["--tsconfig", resolve(library, "../../tsconfig.json"), "--skipErrorChecking"],
    ...["--disableGit", "--disableSources", "--treatWarningsAsErrors", "--logLevel", "Warn"],
  ],
  { stdout: "inherit", stderr: "inherit" },
);
process.exit(run.exitCode);
