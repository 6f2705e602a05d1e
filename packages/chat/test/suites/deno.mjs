// For `deno test`, whose runner has no `describe`.
import { both } from "./both.mjs";

both({ test: (name, run) => globalThis.Deno.test(name, run) });
