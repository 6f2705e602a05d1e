/** What is typed, as it comes. Read without `process.stdin`, which costs milliseconds and lets no other reader follow it. */

export interface Typing {
  /** Settles when the terminal is gone or, where it edits lines itself, has said that there are no more. */
  readonly ended: Promise<void>;
  /** Somebody else may read from now on. */
  stop(): void;
}

export function readTyping(heard: (bytes: Uint8Array) => void): Typing {
  const reader = Bun.stdin.stream().getReader();
  let stopped = false;
  // A second reader of Bun's stdin does not keep the process alive while it waits.
  const alive = setInterval(() => {}, 2 ** 30);

  async function read(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
      if (stopped) return new Promise(() => {});
      if (done) {
        clearInterval(alive);
        return;
      }
      heard(value);
    }
  }

  return {
    ended: read(),
    stop() {
      stopped = true;
      clearInterval(alive);
      reader.releaseLock();
    },
  };
}
