/**
 * How far a download is, with its rate and the time left: one line that is drawn over on a terminal, a plain line for
 * each tenth anywhere else. The rate is that of the last few seconds. At most ten drawings a second.
 */
import type { Clock } from "@poppet/chat";
import type { PullProgress } from "../parts.ts";
import { byteSize, duration } from "./time.ts";

export interface Progress {
  update(progress: PullProgress): void;
  /** A line of its own above the bar. */
  note(line: string): void;
  end(): void;
}

interface Screen {
  write(text: string): void;
  columns(): number;
  readonly moving: boolean;
  readonly clock: Clock;
}

const drawEveryMs = 100;
const rateWindowMs = 5_000;

export function openProgress(screen: Screen): Progress {
  const rate = openRate(screen.clock);
  let drawnAt = Number.NEGATIVE_INFINITY;
  let onScreen = false;
  let latest: PullProgress | undefined;
  let tenth = -1;

  function draw(progress: PullProgress): void {
    drawnAt = screen.clock.now();
    screen.write(`\r\x1b[K${barLine(progress, rate.perSecond(), screen.columns() - 1)}`);
    onScreen = true;
  }

  function plainLine(progress: PullProgress): void {
    if (progress.totalBytes === null || progress.totalBytes === 0) return;
    const now = Math.floor((progress.doneBytes / progress.totalBytes) * 10);
    if (now <= tenth) return;
    tenth = now;
    screen.write(`${figures(progress, rate.perSecond())}\n`);
  }

  function clear(): void {
    if (onScreen) screen.write("\r\x1b[K");
    onScreen = false;
  }

  return {
    update(progress) {
      // Another source starts again from an earlier place.
      if (latest !== undefined && progress.doneBytes < latest.doneBytes) {
        tenth = -1;
        rate.reset();
      }
      latest = progress;
      rate.add(progress.doneBytes);
      if (!screen.moving) plainLine(progress);
      else if (screen.clock.now() - drawnAt >= drawEveryMs) draw(progress);
    },
    note(line) {
      clear();
      screen.write(`${line}\n`);
    },
    end() {
      clear();
    },
  };
}

export function barLine(progress: PullProgress, perSecond: number | null, columns: number): string {
  const words = figures(progress, perSecond);
  const room = Math.min(30, columns - words.length - 3);
  if (progress.totalBytes === null || progress.totalBytes === 0 || room < 8)
    return words.slice(0, Math.max(0, columns));
  const full = Math.min(room, Math.floor((progress.doneBytes / progress.totalBytes) * room));
  return `[${"#".repeat(full)}${"-".repeat(room - full)}] ${words}`;
}

function figures({ doneBytes, totalBytes }: PullProgress, perSecond: number | null): string {
  const share = totalBytes ? `${String(Math.min(100, Math.floor((doneBytes / totalBytes) * 100))).padStart(3)}% ` : "";
  const size = totalBytes ? `${byteSize(doneBytes)} of ${byteSize(totalBytes)}` : byteSize(doneBytes);
  if (perSecond === null || perSecond <= 0) return share + size;
  const left = totalBytes ? `, ${duration(((totalBytes - doneBytes) / perSecond) * 1000)} left` : "";
  return `${share}${size}, ${byteSize(perSecond)}/s${left}`;
}

function openRate(clock: Clock) {
  let samples: { readonly at: number; readonly bytes: number }[] = [];
  return {
    add(bytes: number): void {
      const at = clock.now();
      const last = samples.at(-1);
      if (last !== undefined && at - last.at < drawEveryMs) return;
      samples.push({ at, bytes });
      while (samples[0] !== undefined && at - samples[0].at > rateWindowMs && samples.length > 2) samples.shift();
    },
    perSecond(): number | null {
      const first = samples[0];
      const last = samples.at(-1);
      if (first === undefined || last === undefined || last.at - first.at < 500) return null;
      return Math.round(((last.bytes - first.bytes) / (last.at - first.at)) * 1000);
    },
    reset(): void {
      samples = [];
    },
  };
}
