/**
 * Keeps the model that was used last open for who asks for the same one next: a session's title follows its first answer,
 * and a local model takes long to load. At most one waits, and none whose use was stopped. `close` closes it, and those
 * still in use, and waits for all of them.
 */
import type { OpenModel } from "../models/registry.ts";
import type { ModelChoice, ModelSource } from "./run-turn.ts";

export interface KeptModels extends ModelSource {
  close(): Promise<void>;
}

interface Opened {
  readonly choice: ModelChoice;
  readonly model: OpenModel;
}

export function keepModels(models: ModelSource): KeptModels {
  const inUse = new Set<Opened>();
  let waiting: Opened | null = null;
  let closed = false;

  function takeWaiting(): Opened | null {
    const taken = waiting;
    waiting = null;
    return taken;
  }

  function lend(opened: Opened, signal: AbortSignal): OpenModel {
    inUse.add(opened);
    let lent = true;
    return {
      ...opened.model,
      async close() {
        // After `close` it is closed already.
        if (!lent || !inUse.delete(opened)) return;
        lent = false;
        if (closed || signal.aborted || waiting !== null) return opened.model.close();
        waiting = opened;
      },
    };
  }

  return {
    tools: models.tools,
    window: (choice) => models.window(choice),
    async open(choice, signal) {
      const kept = takeWaiting();
      if (kept !== null && isSame(kept.choice, choice)) return lend(kept, signal);
      // That it cannot be closed is no fault of the one that is asked for.
      await kept?.model.close().catch(() => {});
      return lend({ choice, model: await models.open(choice, signal) }, signal);
    },
    async close() {
      closed = true;
      const kept = takeWaiting();
      const open = [...inUse, ...(kept === null ? [] : [kept])];
      inUse.clear();
      await Promise.allSettled(open.map(({ model }) => model.close()));
    },
  };
}

/** Of the session too: some providers route by it. */
function isSame(a: ModelChoice, b: ModelChoice): boolean {
  return a.provider === b.provider && a.model === b.model && a.sessionId === b.sessionId;
}
