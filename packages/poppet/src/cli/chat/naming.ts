/**
 * C9: the title, once the first answer is out. The surface waits for it, at most as long as the assistant does. A signal or
 * a reader that goes ends the wait at once, and is no failure: what was asked for is answered and saved.
 */
import type { Assistant } from "../../assistant.ts";
import type { RunRenderer } from "../render/run.ts";
import type { Interruption } from "../signals.ts";

export async function nameAfterAnswer(
  assistant: Assistant,
  sessionId: string,
  renderer: RunRenderer,
  interruption: Interruption,
): Promise<void> {
  if (interruption.signal.aborted) return;
  const hide = renderer.naming(interruption.signal);
  try {
    await interruption.afterwards(() => assistant.nameSession(sessionId, interruption.signal));
  } finally {
    hide();
  }
}
