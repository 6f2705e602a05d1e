/** Finds the runs whose process died, so that none shows as running without one. */
import { isOwnerAlive, sweepOwners } from "../store/owners.ts";
import { ownersAtWork, reapOwner } from "../store/runs.ts";
import type { Store } from "../store/sqlite.ts";

/** Ends the runs of dead owners as interrupted; whether there were any. `self` is this process's owner ID. */
export async function reapDead(store: Store, home: string, self: string | null, now: number): Promise<boolean> {
  const owners = await store.read(ownersAtWork);
  let found = false;
  for (const id of owners) {
    if (id === self || (await isOwnerAlive(home, id))) continue;
    if ((await store.write("reap", () => reapOwner(id, now))) > 0) found = true;
  }
  if (found) await sweepOwners(home);
  return found;
}
