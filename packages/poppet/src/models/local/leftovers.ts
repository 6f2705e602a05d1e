/**
 * The folder that a pull works in, named after its owner; and the removal of those whose pull was killed. A `.part` is
 * in none of them, as the next pull goes on from it.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const prefix = ".pull-";

export function workFolder(models: string, owner: string): string {
  return join(models, prefix + owner);
}

/** What cannot be removed is left: that is no reason not to pull. */
export async function removeLeftovers(models: string, isAlive: (owner: string) => Promise<boolean>): Promise<void> {
  const names = await readdir(models).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    if (await isAlive(name.slice(prefix.length))) continue;
    await rm(join(models, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
