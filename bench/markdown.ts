/** What drawing Markdown costs over writing the same deltas as they are, on a terminal, in CPU time. */
import { median } from "./measure.ts";
import type { Line } from "./table.ts";

export async function benchMarkdown(folder: string, rounds: number): Promise<readonly Line[]> {
  const result = `${folder}/markdown.json`;
  const child = Bun.spawn(["bun", new URL("./markdown-writer.ts", import.meta.url).pathname, result, String(rounds)], {
    terminal: { cols: 80, rows: 24, data() {} },
  });
  if ((await child.exited) !== 0) throw new Error("the writer of Markdown failed");
  const pairs = (await Bun.file(result).json()) as readonly { readonly raw: number; readonly drawn: number }[];
  const ratio = median(pairs.map((pair) => pair.drawn / pair.raw));
  return [
    {
      what: "10,000 deltas of Markdown on a terminal, CPU a delta",
      value: `${median(pairs.map((pair) => pair.drawn)).toFixed(1)} us`,
      floor: `raw ${median(pairs.map((pair) => pair.raw)).toFixed(1)} us`,
      ratio: `${ratio.toFixed(2)}x`,
      target: `3x${ratio <= 3 ? "" : " MISSED"}`,
    },
  ];
}
