/** Pulls with real locks, in a folder of the test's own. */
import type { PullOwners } from "../src/models/local/pull.ts";
import { becomeOwner, isOwnerAlive } from "../src/store/owners.ts";

export function pullOwners(home: string): PullOwners {
  return { become: () => becomeOwner(home, () => crypto.randomUUID()), isAlive: (id) => isOwnerAlive(home, id) };
}
