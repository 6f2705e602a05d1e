/** How far a pull is, with the rate over the last seconds and the time that is left at that rate. */
export interface PullProgress {
  /** Where from, in words: `huggingface.co`, `pip`, `file`. */
  readonly source: string;
  readonly stage: "downloading" | "unpacking" | "copying";
  readonly received: number;
  readonly total: number | null;
  /** Bytes a second; 0 until it is known. */
  readonly rate: number;
  readonly secondsLeft: number | null;
}

/** The rate is of this much time. */
const windowMs = 5_000;
/** Not more often than this, except at the end. */
const intervalMs = 50;

export function progressMeter(
  source: string,
  stage: PullProgress["stage"],
  now: () => number,
  report: (progress: PullProgress) => void,
): (received: number, total: number | null) => void {
  const samples: { readonly at: number; readonly received: number }[] = [];
  let reported = Number.NEGATIVE_INFINITY;
  return (received, total) => {
    const at = now();
    if (at - reported < intervalMs && received !== total) return;
    reported = at;
    samples.push({ at, received });
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > windowMs) samples.shift();
    const first = samples[0] ?? { at, received };
    const rate = at > first.at ? ((received - first.received) / (at - first.at)) * 1000 : 0;
    const secondsLeft = total === null || rate <= 0 ? null : Math.max(0, Math.ceil((total - received) / rate));
    report({ source, stage, received, total, rate, secondsLeft });
  };
}
