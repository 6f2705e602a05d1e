/**
 * How the runs of this process ended without completing. An ending that could not be written when it came (a full disk)
 * is kept and written at the next occasion, so that no run shows as running after it is over. What the process takes
 * with it, the next command writes as a dead owner's.
 */
import type { RunError } from "../assistant.ts";
import { type Ending, endRun } from "../store/runs.ts";
import type { Store } from "../store/sqlite.ts";

export interface Ended {
  readonly state: "failed" | "interrupted";
  readonly error: RunError;
}

export interface Endings {
  /** Returns how the run ended. Throws where it cannot be written now: then it is kept. */
  write(ending: Ending): Promise<Ended>;
  /** Writes what was kept; whether anything was. What cannot be written now either stays. */
  settle(): Promise<boolean>;
}

export function openEndings(store: Store): Endings {
  const kept = new Map<string, Ending>();

  async function save(ending: Ending): Promise<void> {
    await store.write("finish", () => endRun(ending));
    kept.delete(ending.runId);
  }

  return {
    async write(given) {
      // The first is what the run came to; one that follows says only that the first could not be written.
      const ending = kept.get(given.runId) ?? given;
      kept.set(ending.runId, ending);
      await save(ending);
      return { state: ending.state, error: ending.error };
    },

    async settle() {
      let any = false;
      for (const ending of [...kept.values()]) {
        try {
          await save(ending);
          any = true;
        } catch {
          // It stays for the next occasion; whoever asks now learns of the database's state by their own step.
        }
      }
      return any;
    },
  };
}
