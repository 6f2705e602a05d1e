/** Finds the runs whose process died, so that none shows as running without one. */
import { isOwnerAlive, sweepOwners } from "../store/owners.ts";
import { ownersAtWork, reapOwner } from "../store/runs.ts";
import type { Store } from "../store/sqlite.ts";

/** Ends the runs of dead owners as interrupted; whether there were any. `self` is this process's owner ID. */
export async function reapDead(store: Store, home: string, self: string | null, now: number): Promise<boolean> {
  const owners = await store.read(ownersAtWork);
  const dead = owners.filter((id) => id !== self && !isOwnerAlive(home, id));
  for (const id of dead) await store.write("reap", () => reapOwner(id, now));
  if (dead.length > 0) sweepOwners(home);
  return dead.length > 0;
}
