/**
 * Removes what pulls that were killed left in the folder of models. Nobody can tell whether a pull is alive, so age does:
 * pip gives up on a silent server long before, and unpacking and copying write all the time. A `.part` stays, as the next
 * pull goes on from it.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const deadAfterMs = 10 * 60_000;
const leftover = /^\.pip-|\.gguf\.(unpacked|copy)$/;

/** What cannot be removed is left: that is no reason not to pull. */
export async function removeLeftovers(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => leftover.test(one))) {
    const path = join(folder, name);
    if (now - (await lastChange(path)) < deadAfterMs) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Of a file, or of a folder with all that is in it. */
async function lastChange(path: string): Promise<number> {
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  const times = await Promise.all(
    [path, ...inside.map((name) => join(path, name))].map((one) =>
      stat(one).then(
        (found) => found.mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}
