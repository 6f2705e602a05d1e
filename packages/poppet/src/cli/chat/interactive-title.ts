/** C9 at the prompt: a title is asked for behind its back, and waited for where two requests would get in each other's way. */
import type { Talk } from "./interactive-talk.ts";

export interface Naming {
  readonly sessionId: string;
  /** Settles when it is over, whatever came of it. */
  readonly over: Promise<void>;
}

/** Does nothing where the session has its title, or was asked for one before. */
export function startNaming({ program, interruption }: Talk, sessionId: string): Naming {
  const name = async () => {
    const assistant = await program.openAssistant();
    try {
      await assistant.nameSession(sessionId, interruption.signal);
    } finally {
      await assistant.close();
    }
  };
  // The title from the first message stays, and nobody is told.
  return { sessionId, over: name().catch(() => undefined) };
}

/** Waits for a title that is being asked for, and says so where that takes long. */
export async function titled(talk: Talk): Promise<void> {
  if (talk.naming === null) return;
  const hide = talk.renderer().naming(talk.interruption.signal);
  await talk.naming.over;
  hide();
}
