/**
 * How far a download is, with its rate and the time left: one line that is drawn over on a terminal, a plain line for
 * each tenth anywhere else. At most ten drawings a second.
 */
import type { Clock } from "@poppet/chat";
import type { PullProgress } from "../../models/local/progress.ts";
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

export function openProgress(screen: Screen): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let onScreen = false;
  let stage: PullProgress["stage"] | undefined;
  let tenth = -1;

  function drawBar(progress: PullProgress): void {
    if (screen.clock.now() - drawnAt < drawEveryMs) return;
    drawnAt = screen.clock.now();
    screen.write(`\r\x1b[K${barLine(progress, screen.columns() - 1)}`);
    onScreen = true;
  }

  function plainLine(progress: PullProgress): void {
    if (!progress.total) return;
    const now = Math.floor((progress.received / progress.total) * 10);
    // Another source, and another stage, begin again.
    if (progress.stage === stage && now <= tenth) return;
    stage = progress.stage;
    tenth = now;
    screen.write(`${figures(progress)}\n`);
  }

  function clear(): void {
    if (onScreen) screen.write("\r\x1b[K");
    onScreen = false;
  }

  return {
    update: (progress) => (screen.moving ? drawBar(progress) : plainLine(progress)),
    note(line) {
      clear();
      drawnAt = Number.NEGATIVE_INFINITY;
      stage = undefined;
      screen.write(`${line}\n`);
    },
    end: clear,
  };
}

export function barLine(progress: PullProgress, columns: number): string {
  const words = figures(progress);
  const room = Math.min(30, columns - words.length - 3);
  if (!progress.total || room < 8) return words.slice(0, Math.max(0, columns));
  const full = Math.min(room, Math.floor((progress.received / progress.total) * room));
  return `[${"#".repeat(full)}${"-".repeat(room - full)}] ${words}`;
}

function figures({ stage, received, total, rate, secondsLeft }: PullProgress): string {
  const share = total ? `${String(Math.min(100, Math.floor((received / total) * 100))).padStart(3)}% ` : "";
  const size = total ? `${byteSize(received)} of ${byteSize(total)}` : byteSize(received);
  const speed = rate > 0 ? `, ${byteSize(Math.round(rate))}/s` : "";
  const left = secondsLeft === null ? "" : `, ${duration(secondsLeft * 1000)} left`;
  return `${share}${stage === "downloading" ? "" : `${stage} `}${size}${speed}${left}`;
}
