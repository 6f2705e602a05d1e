/**
 * The dim line on stderr while a title is asked for, after the answer: only where that takes a moment, only on a terminal
 * that can take it away again, and then without a trace.
 */
import type { Clock } from "@poppet/chat";
import type { Around } from "./theme.ts";

export interface NamingScreen {
  write(text: string): void;
  columns(): number;
  readonly style: Around | undefined;
  readonly clock: Clock;
}

const label = "Naming this conversation…";
const patienceMs = 300;

/**
 * The cursor stands at the beginning of a line. The returned function takes the line away, and where `stopped` aborted, the
 * `^C` that a terminal shows.
 */
export function showNaming(screen: NamingScreen, stopped: AbortSignal): () => void {
  let shown = false;
  const cancel = screen.clock.after(patienceMs, () => {
    // With room for a `^C`, so that it stays one line.
    const text = label.slice(0, Math.max(0, screen.columns() - 3));
    shown = true;
    screen.write((screen.style?.before ?? "") + text + (screen.style?.after ?? ""));
  });
  return () => {
    cancel();
    if (shown || stopped.aborted) screen.write("\r\x1b[K");
  };
}
