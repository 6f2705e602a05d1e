/** What an install takes on disk, by part. */
import { readdirSync, statSync } from "node:fs";
import type { Line } from "./table.ts";

const root = new URL("..", import.meta.url).pathname;

/** Those that the program has; beside them tests have older ones. */
const aiSdk = ["openai", "anthropic", "google", "openai-compatible", "provider", "provider-utils"];

export function benchInstall(): readonly Line[] {
  const modules = `${root}node_modules`;
  const line = (what: string, bytes: number): Line => ({
    what,
    value: `${(bytes / 1024 / 1024).toFixed(1)} MiB`,
    floor: "",
    ratio: "",
    target: "",
  });
  const named = (...names: string[]) => names.reduce((sum, name) => sum + sizeOf(`${modules}/${name}`), 0);
  const llama = named("node-llama-cpp", "@node-llama-cpp");
  return [
    line(
      "dist/, code",
      sizeOf(`${root}dist`, (name) => name.endsWith(".js")),
    ),
    line("dist/, with its bytecode", sizeOf(`${root}dist`)),
    line("node-llama-cpp, its engine for this machine", llama),
    line("AI SDK packages (in dist)", named(...aiSdk.map((name) => `@ai-sdk/${name}`))),
    line("node_modules of a checkout, tools for development included", sizeOf(modules)),
  ];
}

function sizeOf(path: string, keep: (name: string) => boolean = () => true): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return 0;
  if (status.isFile()) return keep(path) ? status.size : 0;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, entry) => sum + sizeOf(`${path}/${entry.name}`, keep), 0);
}
