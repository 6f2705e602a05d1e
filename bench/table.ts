/** The benches' output: one line a figure, each with the floor that it was measured against in the same run. */
import { type Measured, median, type Sample, spread } from "./measure.ts";

export interface Line {
  readonly what: string;
  readonly value: string;
  readonly floor: string;
  readonly ratio: string;
  readonly target: string;
}

const columns = ["what", "value", "floor", "ratio", "target"] as const;

export function printTable(title: string, lines: readonly Line[]): void {
  const rows = [Object.fromEntries(columns.map((name) => [name, name])) as unknown as Line, ...lines];
  const widths = columns.map((name) => Math.max(...rows.map((row) => row[name].length)));
  console.log(`\n${title}`);
  for (const row of rows)
    console.log(
      columns
        .map((name, i) => row[name].padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** Compares one measured command with its floor: the ratio is the median over rounds of the pairs' ratios. */
export function compare(
  what: string,
  measured: Measured | undefined,
  floor: Measured | undefined,
  figure: keyof Sample,
  target: number | null,
): Line {
  const values = measured?.samples.map((sample) => sample[figure] ?? Number.NaN) ?? [];
  const floors = floor?.samples.map((sample) => sample[figure] ?? Number.NaN) ?? [];
  const ratio = median(values.map((value, i) => value / (floors[i] ?? Number.NaN)));
  const unit = figure === "peakMiB" ? "MiB" : "ms";
  const shown = (list: readonly number[]) => `${median(list).toFixed(1)} ${unit} ±${(spread(list) * 100).toFixed(0)}%`;
  return {
    what,
    value: shown(values),
    floor: `${floor?.name ?? ""} ${shown(floors)}`,
    ratio: `${ratio.toFixed(2)}x`,
    target: target === null ? "" : `${target}x${ratio <= target ? "" : " MISSED"}`,
  };
}
